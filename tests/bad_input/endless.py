"""Scripts, selectors and patterns that do not end, or not in hours, each in its own way."""

from __future__ import annotations

from types import MappingProxyType

NATIVE_LOOPS = MappingProxyType(
    {
        "a thrown object's toString": "(() => { throw { toString() { while (true); } }; })()",
        "a thrown object's Symbol.toPrimitive": (
            "(() => { throw { [Symbol.toPrimitive]() { while (true); } }; })()"
        ),
        "a thrown proxy": "(() => { throw new Proxy({}, { get() { while (true); } }); })()",
        "a thrown error's message": (
            "(() => { const e = new Error('x'); Object.defineProperty(e, 'message', { get() { while "
            "(true); } }); throw e; })()"
        ),
        "a thrown error's stack": (
            "(() => { const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { while "
            "(true); } }); throw e; })()"
        ),
        "a replaced Error.prototype.toString": (
            "(() => { Error.prototype.toString = () => { while (true); }; throw new Error('x'); })()"
        ),
        "splice over a length that grows": (
            "(() => { let n = 0; const a = { get length() { return n++ ? 2 ** 53 - 1 : 1; } }; return "
            "Array.prototype.splice.call(a, 0, 1); })()"
        ),
        "shift over a length that grows": (
            "(() => { let n = 0; const a = { get length() { return n++ ? 2 ** 53 - 1 : 1; } }; return "
            "Array.prototype.shift.call(a); })()"
        ),
        "JSON of a sparse array": (
            "(() => { const a = []; a.length = 4294967295; return JSON.stringify(a); })()"
        ),
        "String.raw of a long list": "String.raw({ raw: { length: 2 ** 53 - 1 } })",
        "a long needle": "'a'.repeat(4e6).replace('a'.repeat(2e6) + 'b', '')",
        "a native sort in a loop": "(() => { const t = new Float64Array(3e6); for (;;) t.sort(); })()",
        "a native search in a loop": "(() => { const t = new Float64Array(3e6); for (;;) t.indexOf(1); })()",
        "powers of a big number": (
            "(() => { let n = 0n; for (let i = 0; i < 1e12; i++) n += 3n ** 20000n; return n; })()"
        ),
        "a big number as text": "(() => { const n = 3n ** 20000n; for (;;) n.toString(); })()",
        "normalizing in a loop": (
            "(() => { const s = '\\u0344'.repeat(1e6); for (;;) s.normalize('NFD'); })()"
        ),
        "a long prototype chain": (
            "(() => { let o = {}; for (let i = 0; i < 1e5; i++) o = { __proto__: o }; for (;;) o.nope; })()"
        ),
    }
)
"""Scripts that loop in the engine's own code, or while an error becomes text: a time limit may miss them."""

LOOPS = MappingProxyType(
    {
        "a loop": "(() => { while (true); })()",
        "a result's toJSON": "({ toJSON() { while (true); } })",
        "a proxy's ownKeys": "Object.keys(new Proxy({}, { ownKeys() { while (true); } }))",
        "a generator without end": (
            "(() => { function* g() { while (true) yield 1; } for (const x of g()); })()"
        ),
        "an iterator without end": (
            "[...{ [Symbol.iterator]() { return { next: () => ({ done: false }) }; } }].length"
        ),
        "a pattern that backtracks": "/^(a+)+$/.test('a'.repeat(60) + 'b')",
        "a callback of a typed array": (
            "new Uint8Array(8e5).sort((a, b) => { for (let i = 0; i < 1e5; i++); return a - b; })[0]"
        ),
        "a wait that nobody ends": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    }
)
"""Scripts that the engine's time limit ends."""

SELECTORS = (
    "//*[count(//*[count(//*) > 1]) > 1]",
    "//p[count(preceding::p[count(following::p) > 0]) > count(following::p)]",
    "//p[not(. = preceding::p[. = following::p])]",
    "//p[string-length(string(/)) > count(//p[string-length(string(/)) > 1])]",
    "//p[. != //p[. != //p[. = 'none']]]",
    "//p[sum(//p/@n) > sum(//p[sum(//p/@n) > 1]/@n)]",
    "//p/preceding::p/following::p/preceding::p",
    "//p[following::p[following::p[following::p[contains(., 'none')]]]]",
)
"""Queries in XPath whose time grows with the third power of the page, or faster."""
