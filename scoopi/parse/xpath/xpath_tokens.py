"""XPathToken: the tokens of an XPath expression by the grammar of XPath 1.0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from scoopi.errors import ParseError


class Kind(Enum):
    """What a token is."""

    LITERAL = auto()
    NUMBER = auto()
    NAME = auto()
    """Of an element or attribute, as a node test."""
    FUNCTION = auto()
    NODE_TYPE = auto()
    """`text`, `node`, `comment` or `processing-instruction` before a parenthesis."""
    AXIS = auto()
    STAR = auto()
    """`*` as a node test."""
    OPERATOR = auto()
    SYMBOL = auto()
    """Punctuation of paths, predicates and calls; also `.`, `..` and `@`."""
    VARIABLE = auto()


class XPathToken(NamedTuple):
    """A word and where it begins, from 0; `gap` is the white space before it."""

    kind: Kind
    text: str
    at: int
    gap: str


_NAME = r"[^\W\d][\w.\-·]*"
_WORD = re.compile(
    rf"""(?P<gap>\s*)(?:
      (?P<literal>"[^"]*"|'[^']*')
    | (?P<number>\d+(?:\.\d*)?|\.\d+)
    | (?P<variable>\${_NAME}(?::{_NAME})?)
    | (?P<name>{_NAME}(?::(?:{_NAME}|\*))?)(?=(?P<next>\s*(?:\(|::)?))
    | (?P<operator>!=|<=|>=|[=<>+\-|])
    | (?P<slash>//?)
    | (?P<symbol>::|\.\.|[.@()\[\],*])
    )""",
    re.VERBOSE,
)
_NODE_TYPES = frozenset(("text", "node", "comment", "processing-instruction"))
_OPERATOR_NAMES = frozenset(("and", "or", "div", "mod"))


def tokens_of(expression: str) -> Iterator[XPathToken]:
    """The tokens of the expression, in order.

    Raises:
        ParseError: something that is not a token of XPath, such as a quote that is not closed.
    """
    at = 0
    end = len(expression.rstrip())
    operand_ended = False
    while at < end:
        found = _WORD.match(expression, at, end)
        if found is None:
            raise _no_word(expression, at)
        gap = found["gap"]
        kind = _kind(found, operand_ended)
        text = found[0][len(gap) :]
        yield XPathToken(kind, text, at + len(gap), gap)
        operand_ended = kind is not Kind.OPERATOR and (
            kind is not Kind.SYMBOL or text in (")", "]", ".", "..")
        )
        operand_ended = operand_ended and kind is not Kind.FUNCTION and kind is not Kind.AXIS
        at = found.end()


def _kind(found: re.Match[str], operand_ended: bool) -> Kind:
    if found["name"] is not None:
        return _kind_of_name(found["name"], found["next"].strip(), operand_ended)
    if found["symbol"] == "*":
        return Kind.OPERATOR if operand_ended else Kind.STAR
    for group, kind in (("literal", Kind.LITERAL), ("number", Kind.NUMBER), ("variable", Kind.VARIABLE)):
        if found[group] is not None:
            return kind
    return Kind.OPERATOR if found["operator"] is not None else Kind.SYMBOL


def _kind_of_name(name: str, follower: str, operand_ended: bool) -> Kind:
    if operand_ended and name in _OPERATOR_NAMES:
        return Kind.OPERATOR
    if follower == "(":
        return Kind.NODE_TYPE if name in _NODE_TYPES else Kind.FUNCTION
    return Kind.AXIS if follower == "::" else Kind.NAME


def _no_word(expression: str, at: int) -> ParseError:
    at += len(expression[at:]) - len(expression[at:].lstrip())
    found = expression[at]
    hint = "take it out, or put it in quotes"
    if found in "'\"":
        hint = f"close the quote; a text that holds {found} stands between quotes of the other kind"
    return ParseError(f"the XPath {expression!r} cannot be read: {found!r} at character {at + 1}", hint=hint)
