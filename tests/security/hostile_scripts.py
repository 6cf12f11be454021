"""Hostile scripts: those without end, those that want memory, and those that want out of the sandbox."""

from __future__ import annotations

HUGE = "{ length: 2 ** 53 - 1 }"
CHANGING = (
    "{ get length() { return this.asked ? 2 ** 53 - 1 : (this.asked = true, 1) }, set length(value) {} }"
)
"""An array-like whose length is huge once a guard has looked."""
ENDLESS_ITERATOR = "[].values.call({ length: 2 ** 53 - 1 })"
"""It gives values for ever, without code of the script."""

ENDLESS = (
    "while (true) {}",
    "for (;;) { try { (function f() { f() })() } catch {} }",
    "throw { toString() { while (true) {} } }",
    "throw { get stack() { while (true) {} }, toString: () => 'x' }",
    "throw { [Symbol.toPrimitive]() { while (true) {} } }",
    "throw new (class extends Error { get message() { while (true) {} } })()",
    "({ toJSON() { while (true) {} } })",
    "({ get toJSON() { while (true) {} } })",
    "({ get a() { while (true) {} } })",
    "[{ get a() { while (true) {} } }]",
    "new String({ toString() { while (true) {} } })",
    "Error.prototype.toString = () => { while (true) {} }; while (true) {}",
    "InternalError.prototype.toString = () => { while (true) {} }; while (true) {}",
    "Object.prototype[Symbol.toPrimitive] = () => { while (true) {} }; while (true) {}",
    "Object.defineProperty(Error.prototype, 'stack', { get() { while (true) {} } }); while (true) {}",
    "Error.prepareStackTrace = () => ({ toString() { while (true) {} } }); while (true) {}",
    "Object.prototype.toString = () => { while (true) {} }; throw {}",
    "new Proxy({}, { get() { while (true) {} } })",
    f"Array.prototype.indexOf.call({HUGE}, 1)",
    f"Array.prototype.includes.call({HUGE}, 1)",
    f"Array.prototype.lastIndexOf.call({HUGE}, 1)",
    f"Array.prototype.forEach.call({HUGE}, Object)",
    f"Array.prototype.some.call({HUGE}, Object.isFrozen)",
    f"Array.prototype.reverse.call({HUGE})",
    f"Array.prototype.fill.call({HUGE}, 1)",
    f"Array.prototype.copyWithin.call({HUGE}, 0, 5)",
    f"Array.prototype.findLast.call({HUGE}, Object.isExtensible)",
    f"Array.prototype.unshift.call({HUGE}, 1)",
    f"Array.prototype.splice.call({HUGE}, 0, 1)",
    f"Array.prototype.shift.call({HUGE})",
    f"new Set({ENDLESS_ITERATOR})",
    "new Map({ [Symbol.iterator]: () => ({ next: () => ({ value: [1, 2] }) }) })",
    f"{ENDLESS_ITERATOR}.drop(1e15).next()",
    f"{ENDLESS_ITERATOR}.some(Object.isExtensible)",
    f"{ENDLESS_ITERATOR}.forEach(Object)",
    "const a = [1]; a.concat({ [Symbol.isConcatSpreadable]: true, length: 2 ** 53 - 1 })",
    "new Array(4294967295).flat()",
    "[new Array(4294967295)].flat()",
    "[0].flatMap(() => new Array(4294967295))",
    "let b = [], a = [0]; Object.defineProperty(a, 0, { get() { b.length = 4294967295 } }); a.concat(b)",
    "const p = new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 53 - 1 : t[k] }); [].indexOf.call(p, 1)",
    "new Array(4294967295).indexOf(1)",
    "'a'.repeat(8e6).indexOf('a'.repeat(4e6) + 'b')",
    "'a'.repeat(8e6).lastIndexOf('b' + 'a'.repeat(4e6))",
    "'a'.repeat(8e6).replace('a'.repeat(4e6) + 'b', '')",
    "''.indexOf.call({ toString: () => 'a'.repeat(8e6) }, { toString: () => 'a'.repeat(4e6) + 'b' })",
    "/(a+)+$/.test('a'.repeat(40) + 'b')",
    "new RegExp('(?:a*)*'.repeat(50) + 'b').test('a'.repeat(1000))",
    "new Function('while (true) {}')()",
    "(0, eval)('while (true) {}')",
    "[1, 2].sort(() => { while (true) {} })",
    "JSON.parse('[1]', () => { while (true) {} })",
    "JSON.stringify([1], () => { while (true) {} })",
    "'a'.replace(/a/, () => { while (true) {} })",
    "[...{ *[Symbol.iterator]() { while (true) {} } }]",
)

CHANGED = tuple(
    f"Array.prototype.{name}.call({CHANGING}, 0, 0)"
    for name in (
        *(
            "indexOf",
            "includes",
            "lastIndexOf",
            "reverse",
            "fill",
            "copyWithin",
            "unshift",
            "splice",
            "shift",
        ),
        *("join", "slice", "sort", "toSorted", "with", "push", "pop", "concat", "flat", "toReversed"),
    )
)
"""They end, with whatever result: the length counts as it was when it was read."""

MEMORY = (
    "var all = []; while (true) all.push({})",
    "'x'.repeat(1e9)",
    "'x'.padEnd(1e9)",
    "new Array(1e8).fill(1)",
    "new ArrayBuffer(1e9)",
    "new Uint8Array(1e9)",
    "var s = 'x'; while (true) s += s",
    "Array.from({ length: 1e9 })",
    "JSON.stringify('x'.repeat(2e7))",
    f"[...{ENDLESS_ITERATOR}]",
    f"Array.from({ENDLESS_ITERATOR})",
    "String.raw({ raw: { length: 1e15 } })",
    "var m = new Map(); for (let i = 0; ; i++) m.set(i, i)",
    "var o = {}; for (let i = 0; ; i++) o['k' + i] = i",
    "'é'.repeat(1.2e7)",
    "JSON.stringify(new Array(4294967295))",
    "2n ** 100000000n",
    "BigInt('9'.repeat(1e7))",
    "Function('a', 'return 1' + ' + 1'.repeat(3e6))",
)

DEEP = (
    "(function f() { return f() + 1 })()",
    "JSON.parse('['.repeat(1e6))",
    "let nested = []; for (let i = 0; i < 1e5; i++) nested = [nested]; nested",
    "let nested = []; for (let i = 0; i < 1e5; i++) nested = [nested]; nested.flat(Infinity)",
    "eval('('.repeat(1e5) + ')'.repeat(1e5))",
    "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))",
    "const o = { toString() { return `${o}` } }; `${o}`",
    "const p = new Proxy({}, {}); Object.setPrototypeOf(p, p)",
    "let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(); f()",
)

ESCAPES = (
    "typeof require",
    "typeof process",
    "typeof std",
    "typeof os",
    "typeof print",
    "typeof scriptArgs",
    "typeof load",
    "typeof Worker",
    "typeof globalThis[Symbol.for('scoopi')]",
    "typeof Function('return this')().std",
    "typeof document.constructor.constructor('return typeof std')().os",
    "typeof configs.getConfig.constructor('return this')().process",
    "typeof (function () { return this })().os",
    "var got; import('os').then(m => { got = m }, () => {}); typeof got",
    "var got; import('std').then(m => { got = m }, () => {}); typeof got",
    "var got; Promise.resolve().then(() => { got = 1 }); typeof got",
    "var e; try { null.x } catch (x) { e = x } typeof e.constructor.constructor('return this')().require",
)
"""Each asks for something that is not there: `undefined` is the right answer."""
