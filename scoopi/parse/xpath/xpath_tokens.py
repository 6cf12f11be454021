"""tokens_of, translate: tokenize the XPath dialect of definitions, and translate it to plain XPath 1.0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.text.shown import did_you_mean

LOWER_CASE = "lower-case"
_FUNCTION_NAMES = """
    last position count id local-name namespace-uri name string concat starts-with contains substring-before
    substring-after substring string-length normalize-space translate boolean not true false lang number sum
    floor ceiling round lower-case
"""
_AXIS_NAMES = """
    ancestor ancestor-or-self attribute child descendant descendant-or-self following following-sibling
    namespace parent preceding preceding-sibling self
"""
_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
_AXES = frozenset(_AXIS_NAMES.split())
_BEFORE_A_PATH = frozenset(("(", ","))
_STEP_SYMBOLS = frozenset((".", "..", "@"))


class TokenKind(Enum):
    """What a token of an XPath is, decided from its text and from the token before it."""

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
    """A token of an expression.

    Attributes:
        at: where it starts, from 0.
        gap: the white space before it.
    """

    kind: TokenKind
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
        ParseError: a part is not a token of XPath, such as an unclosed quote.
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
        operand_ended = kind is not TokenKind.OPERATOR and (
            kind is not TokenKind.SYMBOL or text in (")", "]", ".", "..")
        )
        operand_ended = operand_ended and kind is not TokenKind.FUNCTION and kind is not TokenKind.AXIS
        at = found.end()


def _kind(found: re.Match[str], operand_ended: bool) -> TokenKind:
    if found["name"] is not None:
        return _kind_of_name(found["name"], found["next"].strip(), operand_ended)
    if found["symbol"] == "*":
        return TokenKind.OPERATOR if operand_ended else TokenKind.STAR
    for group, kind in (
        ("literal", TokenKind.LITERAL),
        ("number", TokenKind.NUMBER),
        ("variable", TokenKind.VARIABLE),
    ):
        if found[group] is not None:
            return kind
    return TokenKind.OPERATOR if found["operator"] is not None else TokenKind.SYMBOL


def _kind_of_name(name: str, follower: str, operand_ended: bool) -> TokenKind:
    if operand_ended and name in _OPERATOR_NAMES:
        return TokenKind.OPERATOR
    if follower == "(":
        return TokenKind.NODE_TYPE if name in _NODE_TYPES else TokenKind.FUNCTION
    return TokenKind.AXIS if follower == "::" else TokenKind.NAME


def _no_word(expression: str, at: int) -> ParseError:
    at += len(expression[at:]) - len(expression[at:].lstrip())
    found = expression[at]
    hint = "remove it, or put it in quotes"
    if found in "'\"":
        hint = f"close the quote; a text that holds {found} stands between quotes of the other kind"
    return ParseError(f"the XPath {expression!r} cannot be read: {found!r} at character {at + 1}", hint=hint)


_PATH_KINDS = frozenset((TokenKind.NAME, TokenKind.STAR, TokenKind.AXIS, TokenKind.NODE_TYPE))


def translate(expression: str, *, from_document: bool) -> str:
    """Translate an expression: names outside predicates become lower case, `lower-case()` gets a string.

    Args:
        from_document: relative paths outside predicates start at the document, not at the context node.
    Raises:
        ParseError: an invalid token, or an unknown function, axis, prefix or variable.
    Source: defs/README.md, 3.3.
    """
    written: list[str] = []
    calls: list[bool] = []
    depth = 0
    previous: XPathToken | None = None
    for token in tokens_of(expression):
        _check(expression, token)
        depth += {"[": 1, "]": -1}.get(token.text, 0) if token.kind is TokenKind.SYMBOL else 0
        text = token.text
        if depth == 0:
            if token.kind is TokenKind.NAME:
                text = text.lower()
            if from_document and _begins_path(previous, token):
                text = f"/{text}"
        if token.text == "(" and token.kind is TokenKind.SYMBOL:
            calls.append(previous is not None and previous.text == LOWER_CASE)
            text = "(string(" if calls[-1] else text
        elif token.text == ")" and token.kind is TokenKind.SYMBOL and calls and calls.pop():
            text = "))"
        written.append(token.gap + text)
        previous = token
    return "".join(written)


def xpath_literal(text: str, quote: str = "'") -> str:
    """An expression whose value is the text, in `quote` if possible, else in other quotes or by `concat`."""
    other = '"' if quote == "'" else "'"
    if quote not in text:
        return f"{quote}{text}{quote}"
    if other not in text:
        return f"{other}{text}{other}"
    between = f", {other}{quote}{other}, "
    return f"concat({between.join(f'{quote}{part}{quote}' for part in text.split(quote))})"


def invalid_xpath(expression: str, error: Exception) -> ParseError:
    """Make the ParseError for an expression that libxml2 rejects with `error`."""
    fault = str(error) or "Invalid expression"
    return ParseError(
        f"the XPath {expression!r} is wrong: {fault[0].lower()}{fault[1:]}",
        hint="write it as XPath 1.0 has it",
    )


def _begins_path(previous: XPathToken | None, token: XPathToken) -> bool:
    """Whether a relative path starts at the token."""
    if token.kind not in _PATH_KINDS and not (token.kind is TokenKind.SYMBOL and token.text in _STEP_SYMBOLS):
        return False
    return previous is None or previous.kind is TokenKind.OPERATOR or previous.text in _BEFORE_A_PATH


def _check(expression: str, token: XPathToken) -> None:
    name = token.text
    if token.kind is TokenKind.VARIABLE:
        raise _unknown(expression, token, "variable", "XPath here has no variables; use %{…}")
    if token.kind is TokenKind.FUNCTION and name not in _FUNCTIONS:
        raise _unknown(expression, token, "function", _nearest(name, _FUNCTIONS))
    if token.kind is TokenKind.AXIS and name not in _AXES:
        raise _unknown(expression, token, "axis", _nearest(name, _AXES))
    if token.kind is TokenKind.NAME and ":" in name:
        hint = f"the tree has no namespaces: write *[name()='{name}']"
        raise _unknown(expression, token, "prefix", hint)


def _unknown(expression: str, token: XPathToken, what: str, hint: str) -> ParseError:
    return ParseError(
        f"the XPath {expression!r} names an unknown {what}: {token.text} at character {token.at + 1}",
        hint=hint,
    )


def _nearest(name: str, known: frozenset[str]) -> str:
    return did_you_mean(name, known, "XPath 1.0 has no such name")
