"""reads_of: what a script reads of its row, if it is a pure expression over that row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

Reads = frozenset[tuple[str, str]]
"""Pairs of an object (`item`, `dim`, `fact`, `axis`, `record`, `parent`) and its property, `*` for any."""

ANY = "*"
_ROW = frozenset(("item", "dim", "fact", "axis", "record", "parent"))
_PROPERTIES = frozenset(("value", "index", "order", "match", "itemName", "axisName"))
_CONSTANTS = frozenset(("null", "true", "false", "undefined", "NaN", "Infinity"))
_FUNCTION_NAMES = """
    Number String Boolean parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI
    decodeURIComponent
"""
_METHOD_NAMES = """
    trim trimStart trimEnd toLowerCase toUpperCase slice substring substr indexOf lastIndexOf includes
    startsWith endsWith charAt charCodeAt codePointAt at padStart padEnd repeat concat split replace
    replaceAll match search normalize test exec join toString toFixed toPrecision abs ceil floor round
    trunc min max pow sqrt sign log log10 log2 exp hypot isInteger isNaN isFinite parseInt parseFloat
    fromCharCode fromCodePoint
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_METHODS = frozenset(_METHOD_NAMES.split())
_OF_GLOBALS = _METHODS | {"PI", "E", "EPSILON", "MAX_SAFE_INTEGER", "MIN_SAFE_INTEGER"}
_WAYS_OUT = frozenset(("constructor", "prototype", "random"))
"""Properties that lead to objects which the expression does not name, or to values that change."""
_TOKEN = re.compile(
    r"""\s+
    | (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    | (?P<number>(?:0[xX][\da-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w$.]))
    | (?P<word>[A-Za-z_$][\w$]*)
    | (?P<bad>\+\+|--|//|/\*|=>)
    | (?P<dot>\?\.(?!\d)|\.)
    | (?P<template>[`}])
    | (?P<slash>/)
    | (?P<opens>[(\[])
    | (?P<closes>[)\]])
    | (?P<sign>===?|!==?|<<|>>>?|[<>]=?|&&?|\|\|?|\?\??|\*\*?|[-+%!~^:,])
    """,
    re.VERBOSE | re.ASCII,
)
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[gimsuy]*")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)")
_MEMBER = re.compile(r"""\[\s*(?:\d{1,9}|'(?P<one>[^'\\\n]*)'|"(?P<two>[^"\\\n]*)")\s*\]""", re.ASCII)
_PAIRS = {")": "(", "]": "["}
_LONGEST = 4000


@lru_cache(1024)
def reads_of(text: str) -> Reads | None:
    """Return what a script reads of its row; None if it may not be a pure expression over the row.

    The result of a pure expression depends only on what it reads, and it has no side effects: it contains no
    assignment, no function and no variable of its own, and calls only functions without side effects.

    >>> sorted(reads_of("item.value.trim() + dim.size.value"))
    [('dim', '*'), ('item', 'value')]
    >>> [reads_of(text) for text in ("n = item.value", "now()", "document.name", "Math.random()")]
    [None, None, None, None]
    """
    if len(text) > _LONGEST:
        return None
    reader = _Reader(text)
    return frozenset(reader.reads) if reader.is_expression() else None


class Dependence(NamedTuple):
    """The axes, by their position in the row, on whose indexes and on whose values a result depends."""

    indexes: Sequence[int]
    values: Sequence[int]


def dependence(reads: Reads, axis_names: Sequence[str], own: int) -> Dependence:
    """Return what an expression depends on in rows with these axes; `own` is the position of its own axis."""
    indexes, values = list[int](), list[int]()
    for at, name in enumerate(axis_names):
        read = {prop for root, prop in reads if root == name or (root == "axis" and at == own)}
        is_meant = axis_names.index(name) == at or at == own  # `item.value` is that of the first item
        if ANY in read or (is_meant and "index" in read):
            indexes.append(at)
        if ANY in read or (is_meant and "value" in read):
            values.append(at)
    return Dependence(indexes, values)


class _Reader:
    """Checks the tokens of a script in order.

    Attributes:
        reads: what the script reads of its row, as far as it was checked.
    """

    def __init__(self, text: str) -> None:
        self.reads: set[tuple[str, str]] = set()
        self._text = text
        self._at = 0
        self._open: list[str] = []
        self._has_operand = False  # whether the last token ended an operand
        self._callable = False  # whether that operand may be called
        self._object = ""  # the object of the row, the function, or `Math`, that it names

    def is_expression(self) -> bool:
        """Whether the whole script is a pure expression."""
        while self._at < len(self._text):
            found = _TOKEN.match(self._text, self._at)
            if found is None or not self._allows(found):
                return False
        self._note_whole()
        return self._has_operand and not self._open

    def _allows(self, found: re.Match[str]) -> bool:
        kind, token = found.lastgroup, found[0]
        self._at = found.end()
        match kind:
            case None:
                return True
            case "text" | "number":
                return self._operand()
            case "word":
                return self._word(token)
            case "dot":
                return self._property()
            case "template":
                return self._template(token)
            case "slash":
                return self._slash()
            case "opens":
                return self._opens(token)
            case "closes":
                return self._closes(token)
            case "sign":
                return self._sign()
        return False

    def _operand(self, *, is_callable: bool = False, of: str = "") -> bool:
        """Note that an operand ends here; two successive operands are not an expression."""
        if self._has_operand:
            return False
        self._has_operand, self._callable, self._object = True, is_callable, of
        return True

    def _ended(self) -> None:
        """Note that the operand has been used as a whole and no longer names an object."""
        self._note_whole()
        self._callable = False

    def _note_whole(self) -> None:
        if self._object in _ROW:
            self.reads.add((self._object, ANY))
        self._object = ""

    def _sign(self) -> bool:
        self._ended()
        self._has_operand = False
        return True

    def _word(self, word: str) -> bool:
        if word == "typeof":
            return not self._has_operand
        if word in _ROW or word == "Math":
            return self._operand(of=word)
        if word in _FUNCTIONS:
            return self._operand(is_callable=True, of=word)
        return word in _CONSTANTS and self._operand()

    def _property(self) -> bool:
        found = _TOKEN.match(self._text, self._at)
        if not self._has_operand or found is None or found.lastgroup != "word":
            return False
        name, owner, self._object = found[0], self._object, ""
        self._at = found.end()
        self._callable = name in _METHODS
        if owner in _ROW:
            self.reads.add((owner, name if name in _PROPERTIES else ANY))
            self._callable = False
        elif owner and name not in _OF_GLOBALS:
            return False
        return name not in _WAYS_OUT and not name.startswith("__")

    def _template(self, sign: str) -> bool:
        if sign == "}":
            if not self._has_operand or not self._open or self._open.pop() != "`":
                return False
            self._ended()
        elif self._has_operand:  # a tag, which would be called
            return False
        found = _TEMPLATE.match(self._text, self._at)
        if found is None:
            return False
        self._at = found.end()
        self._has_operand = False
        if found[1] == "`":
            return self._operand()
        self._open.append("`")
        return True

    def _slash(self) -> bool:
        if self._has_operand:
            return self._sign()
        found = _REGEX.match(self._text, self._at - 1)
        if found is None:
            return False
        self._at = found.end()
        return self._operand()

    def _opens(self, sign: str) -> bool:
        if self._has_operand and sign == "[":
            found = _MEMBER.match(self._text, self._at - 1)
            if found is None:
                return False
            name = found["one"] or found["two"] or ""
            self._ended()
            self._at = found.end()
            return name not in _WAYS_OUT and not name.startswith("__")
        if self._has_operand and not self._callable:
            return False
        self._open.append(sign)
        self._ended()
        self._has_operand = False
        return True

    def _closes(self, sign: str) -> bool:
        self._ended()
        self._has_operand = True
        return bool(self._open) and self._open.pop() == _PAIRS[sign]
