"""ScriptTarget: random scripts in the sandbox end with a text, nothing, or a ScriptError."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ScriptError
from scoopi.model.locator import Document, Locator
from scoopi.script.page_scripts import ConfigsView, PageScripts
from scoopi.script.sandbox import Sandbox

_LIMITS = ScriptLimits(timeout_ms=200, memory_mb=16)
_DEEPEST = 4
_NUMBERS = (
    *("0", "-0", "1", "-1", "NaN", "Infinity", "1e308", "2**31", "2**32-1", "2**53", "4294967294.5", "1n"),
    *("10n**50n", "0.1+0.2"),
)
_TEXTS = ("''", "'é'", "'\\ud800'", "'a'.repeat(1e5)", "'x\\0y'", "`${1}`", "'__proto__'", "'length'", "'10'")
_PATTERNS = (
    "/a/g",
    "/(a+)+$/",
    "/(?:x{30}){30}/",
    "/[^]*?b/y",
    "/(?<n>\\w)\\k<n>/u",
    "/\\p{L}+/u",
    "new RegExp('(')",
)
_OBJECTS = (
    *(
        "[]",
        "{}",
        "[1,,3]",
        "new Array(1e6)",
        "Object.create(null)",
        "new Map([[1,2]])",
        "new Set('ab')",
        "new Date(NaN)",
    ),
    *(
        "new Date(8.64e15)",
        "Symbol('s')",
        "new Proxy({}, {})",
        "(function(){ return this })()",
        "globalThis",
        "document",
    ),
    *(
        "configs",
        "new Uint8Array(100)",
        "new ArrayBuffer(1e6)",
        "Promise.resolve(1)",
        "function* g() { yield 1 }",
        "() => 1",
    ),
    *(
        "new Error('x')",
        "class A { #p = 1 }",
        "new WeakMap()",
        "document.getFromDate()",
        "arguments",
        "this",
        "null",
    ),
)
_HOOKS = (
    "toString",
    "valueOf",
    "toJSON",
    "length",
    "then",
    "constructor",
    "[Symbol.iterator]",
    "[Symbol.toPrimitive]",
)
_GLOBALS = (
    *(
        "Array",
        "Object",
        "String",
        "Number",
        "BigInt",
        "Math",
        "JSON",
        "RegExp",
        "Date",
        "Promise",
        "Reflect",
        "Function",
    ),
    *(
        "Symbol",
        "Map",
        "Set",
        "Proxy",
        "Error",
        "Uint8Array",
        "ArrayBuffer",
        "DataView",
        "Intl",
        "WeakRef",
        "Atomics",
    ),
)
_METHODS = (
    *(
        "join",
        "sort",
        "reverse",
        "indexOf",
        "includes",
        "slice",
        "splice",
        "concat",
        "map",
        "forEach",
        "reduce",
        "flat",
    ),
    *(
        "fill",
        "copyWithin",
        "keys",
        "padEnd",
        "repeat",
        "replace",
        "replaceAll",
        "split",
        "match",
        "matchAll",
        "normalize",
    ),
    *(
        "localeCompare",
        "toFixed",
        "toISOString",
        "setFullYear",
        "stringify",
        "parse",
        "assign",
        "freeze",
        "defineProperty",
    ),
    *(
        "setPrototypeOf",
        "getOwnPropertyNames",
        "entries",
        "from",
        "raw",
        "apply",
        "call",
        "bind",
        "test",
        "exec",
        "at",
    ),
)


class ScriptTarget:
    """Each script gets a page of its own; a harmless script afterwards must still give its value."""

    name = "scripts"
    host_timeout_s = 20.0

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def feed(self, number: int) -> bool:
        """As `Target`; refused when the script raises a ScriptError."""
        accepted = self._is_accepted(number)
        assert _page_scripts()("[1,2].map(x => x * 2).join('-')") == "2-4", "a script changed the next page's"
        return accepted

    def shown(self, number: int) -> bytes:
        """The script."""
        return self._script(number).encode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Nothing was started."""

    def _is_accepted(self, number: int) -> bool:
        try:
            result = _page_scripts()(self._script(number))
        except ScriptError:
            return False
        assert result is None or result.encode("utf-8") is not None
        return True

    def _script(self, number: int) -> str:
        return script(random.Random(f"{self._seed}-{number}"))


def _page_scripts() -> PageScripts:
    locator = Locator("acme", "quoteGroup", "/pages/acme.html")
    date = datetime(2020, 2, 29, 8, 5, tzinfo=UTC)
    configs = ConfigsView({"scoopi.link.maxDepth": "10"}, date, str, cluster=False)
    return PageScripts(
        lambda hosts: Sandbox(_LIMITS, hosts), Document(locator, locator.url, date, None, b""), configs
    )


def script(chance: random.Random) -> str:
    """One to five statements; now and then the text is damaged."""
    text = "; ".join(_grown("{S}", chance, _DEEPEST) for _ in range(chance.randrange(1, 6)))
    if chance.random() < 0.1:
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice("(){}[]\"'`\\\0\ud800é/") + text[at + 1 :]
    return text


def _grown(template: str, chance: random.Random, depth: int) -> str:
    """The template with each `{S}` a statement, `{V}` a value, `{T}` a text, and so on."""
    return _HOLE.sub(lambda hole: _filled(hole[1], chance, depth), template)


def _filled(kind: str, chance: random.Random, depth: int) -> str:
    if kind in _WORDS:
        return chance.choice(_WORDS[kind])
    if depth <= 0 or (kind == "V" and chance.random() < 0.3):
        return f"({chance.choice(chance.choice((_NUMBERS, _TEXTS, _PATTERNS, _OBJECTS)))})"
    return _grown(chance.choice(_STATEMENTS if kind == "S" else _VALUES), chance, depth - 1)


_HOLE = re.compile(r"\{([A-Z])\}")
_WORDS = {"T": _TEXTS, "H": _HOOKS, "G": _GLOBALS, "M": _METHODS}
_STATEMENTS = (
    *("{V}", "{V}", "{V}", "{V}", "{V}", "throw {V}", "var v = {V}", "v = {V}", "{ let l = {V}; {S} }"),
    *(
        "try { {S} } catch (e) { {V} } finally { {V} }",
        "try { {S} } catch (e) { throw e }",
        "if ({V}) { {S} }",
    ),
    *(
        "for (var i = 0; i < 9 && i < {V}; i++) { {S} }",
        "for (const x of {V}) { {S} }",
        "(async () => { {S} })()",
    ),
    *("function f(n) { {S}; return n ? f(n - 1) : {V} } f(9)", "globalThis[{T}] = {V}", "{G} = {V}"),
    *(
        "{G}.prototype.{M} = {V}",
        "{G}.prototype.{H} = {V}",
        "Object.setPrototypeOf({V}, {V})",
        "eval({T} + {V})",
    ),
    *("Object.defineProperty({V}, {T}, { get() { {S} } })", "delete {V}.{M}", "while (true) { {S} }"),
)
_VALUES = (
    *("{V}.{M}({V})", "{V}.{M}({V}, {V})", "{V} + {V}", "{G}.{M}({V})", "{G}.prototype.{M}.call({V}, {V})"),
    *("[{V}, {V}]", "({ {H}() { {S} } })", "({ {H}: {V} })", "({ get {H}() { return {V} } })", "[...{V}]"),
    *("new Proxy({V}, { get() { return {V} } })", "{V}?.{M}", "new {G}({V})", "`${{V}}`", "(() => {V})()"),
    *("typeof {V}", "JSON.stringify({V})", "String({V})", "{V} instanceof {G}", "{V}[{V}]", "document.{H}"),
    *("Array.from({ length: {V} })", "Reflect.apply({V}, {V}, {V})", "configs.getConfig({V})", "{V} ?? {V}"),
)
