"""is_harmless: whether a script is sure to leave JavaScript's own functions and objects as they are."""

from __future__ import annotations

import re

_KEYWORD_NAMES = """
    function const let var for of if else return continue break while do switch case default typeof
"""
_KEYWORDS = frozenset(_KEYWORD_NAMES.split())
_CONSTANTS = frozenset(("null", "true", "false", "undefined", "NaN", "Infinity"))
_CLOSED = "a)"
"""Stands for a parenthesis that ends an operand, not the head of an `if` or a loop."""
_HEADS = frozenset(("if", "for", "while", "switch"))
_BEFORE_REGEX = frozenset(("return", "(", ",", "=", "=>", "?", ":", "&&", "||", "!", ";"))
_BEFORE_BLOCK = frozenset((")", _CLOSED, "=>", ";", "{", "}", "else", "do"))
_FUNCTIONS = frozenset(("String", "Number", "Boolean", "parseInt", "parseFloat", "isNaN", "isFinite", "Math"))
_FORBIDDEN_WORDS = """
    arguments async atob await btoa catch class console constructor debugger decodeURI decodeURIComponent
    delete encodeURI encodeURIComponent enum escape eval export extends finally get globalThis implements
    import in instanceof interface navigator new package performance private protected prototype public
    queueMicrotask set static super this throw try unescape void with yield
"""
_FORBIDDEN = frozenset(_FORBIDDEN_WORDS.split())
_PROPERTY_NAMES = """
    items axes firstAxis value index order itemName axisName name dataDef length PI E
"""
_PROPERTIES = frozenset(_PROPERTY_NAMES.split())
_METHOD_NAMES = """
    getItems setItems getName getDataDef getAxes getAxis getFirstAxis getAxisByItemName getAxisName
    getItemName getOrder getMatch getIndex getValue setValue size isEmpty get set add contains remove
    clear push pop filter map forEach some every find findIndex reduce reverse sort slice indexOf
    lastIndexOf includes join concat at trim trimStart trimEnd toLowerCase toUpperCase substring substr
    startsWith endsWith charAt charCodeAt codePointAt padStart padEnd repeat split replace replaceAll
    match search normalize test toString toFixed toPrecision abs ceil floor round trunc min max pow sqrt
    sign log log10 log2 exp hypot isInteger isNaN isFinite parseInt parseFloat fromCharCode fromCodePoint
"""
_METHODS = frozenset(_METHOD_NAMES.split())
_TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n\r]*|/\*.*?\*/)
    | (?P<text>'(?:[^'\\\n\r]|\\[^\n\r])*'|"(?:[^"\\\n\r]|\\[^\n\r])*")
    | (?P<number>(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w$.]))
    | (?P<word>[A-Za-z_$][\w$]*)
    | (?P<dot>\?\.(?!\d)|\.)
    | (?P<slash>/)
    | (?P<sign>=>|===?|!==?|<<=?|>>>?=?|[<>]=?|&&=?|\|\|=?|\?\?=?|\*\*=?|\+\+|--|[-+*%&|^]=?
        |[=!~:,;?(){}\[\]])
    """,
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+/[gimsuy]*")
_INDEX = re.compile(r"\[\s*\d{1,9}\s*\]", re.ASCII)
_CALL = re.compile(r"\s*\(", re.ASCII)
_OF_GLOBAL = re.compile(r"\s*\.\s*(?:(?P<method>[A-Za-z]\w*)\s*\(|(?:PI|E)\b)", re.ASCII)
_UNSURE = ("<!--", "-->", "\u2028", "\u2029")
"""Beginnings and ends of comments that `_TOKEN` does not know."""
_LONGEST = 100_000


def is_harmless(text: str) -> bool:
    """Whether a script is sure to leave JavaScript's own functions and objects as they are.

    True for scripts that only use what is listed here: in them, no shared function or object ever becomes a
    value, so they cannot change any. Global functions and methods are only called directly, elements are
    accessed by number, and there are no object literals or destructuring patterns. False means unknown.

    >>> is_harmless("function f(data) { for (const item of data.items) item.getAxis('fact').setValue('1') }")
    True
    >>> [is_harmless(text) for text in ("Math.max = 1", "f.constructor", "list[key]", "const max = Math")]
    [False, False, False, False]
    """
    return len(text) <= _LONGEST and not any(each in text for each in _UNSURE) and _Reader(text).is_harmless()


class _Reader:
    """Checks the tokens of a script."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._before = ";"  # the previous token; `a` for one that ends an operand
        self._heads: list[bool] = []  # for each open parenthesis, whether it is the head of a statement

    def is_harmless(self) -> bool:
        """Whether all tokens are allowed."""
        while self._at < len(self._text):
            found = _TOKEN.match(self._text, self._at)
            if found is None:
                return False
            self._at = found.end()
            if found.lastgroup != "blank" and not self._allows(found.lastgroup, found[0]):
                return False
        return True

    def _allows(self, kind: str | None, written: str) -> bool:
        before, self._before = self._before, "a"
        match kind:
            case "text" | "number":
                return True
            case "word":
                return self._word(written)
            case "dot":
                return self._member()
            case "slash":
                return self._slash(before)
        return self._sign(written, before)

    def _sign(self, sign: str, before: str) -> bool:
        if sign == "[" and before in ("a", ")", _CLOSED, "]", "}"):
            found = _INDEX.match(self._text, self._at - 1)
            self._at = found.end() if found else self._at
            return found is not None and before not in ("}", ")")
        self._before = sign
        if sign == "(":
            self._heads.append(before in _HEADS)
        elif sign == ")":
            self._before = ")" if not self._heads or self._heads.pop() else _CLOSED
        return sign != "{" or before in _BEFORE_BLOCK

    def _word(self, word: str) -> bool:
        if word in _KEYWORDS:
            self._before = word
            return True
        if word in _FUNCTIONS:
            return self._global(word)
        is_known = word in _CONSTANTS or not (word[0].isupper() or word in _FORBIDDEN)
        return is_known and not word.startswith("__")

    def _global(self, name: str) -> bool:
        found = _OF_GLOBAL.match(self._text, self._at)
        if found is None:
            return name != "Math" and _CALL.match(self._text, self._at) is not None
        return found["method"] is None or found["method"] in _METHODS

    def _member(self) -> bool:
        found = _TOKEN.match(self._text, self._at)
        if found is None or found.lastgroup != "word":
            return False
        self._at = found.end()
        if found[0] in _METHODS and _CALL.match(self._text, self._at):
            return True
        return found[0] in _PROPERTIES

    def _slash(self, before: str) -> bool:
        if before in ("a", _CLOSED, "]") and not self._text.startswith("*", self._at):
            self._before = "/"
            return True
        found = _REGEX.match(self._text, self._at - 1) if before in _BEFORE_REGEX else None
        self._at = found.end() if found else self._at
        return found is not None
