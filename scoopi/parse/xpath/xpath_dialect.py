"""translate: an expression as definitions write it becomes plain XPath 1.0."""

from __future__ import annotations

from scoopi.errors import ParseError
from scoopi.model.text.shown import nearest
from scoopi.parse.xpath.xpath_tokens import Kind, XPathToken, tokens_of

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
_PATH_KINDS = frozenset((Kind.NAME, Kind.STAR, Kind.AXIS, Kind.NODE_TYPE))


def translate(expression: str, *, from_document: bool) -> str:
    """The expression with names outside predicates in lower case, and `lower-case()` given a string.

    Args:
        from_document: relative paths outside predicates begin at the document, not at the context node.
    Raises:
        ParseError: a word that is none, or a function, axis, prefix or variable that does not exist.
    Source: defs/README.md, 3.3.
    """
    written: list[str] = []
    calls: list[bool] = []
    depth = 0
    previous: XPathToken | None = None
    for token in tokens_of(expression):
        _check(expression, token)
        depth += {"[": 1, "]": -1}.get(token.text, 0) if token.kind is Kind.SYMBOL else 0
        text = token.text
        if depth == 0:
            if token.kind is Kind.NAME:
                text = text.lower()
            if from_document and _begins_path(previous, token):
                text = f"/{text}"
        if token.text == "(" and token.kind is Kind.SYMBOL:
            calls.append(previous is not None and previous.text == LOWER_CASE)
            text = "(string(" if calls[-1] else text
        elif token.text == ")" and token.kind is Kind.SYMBOL and calls and calls.pop():
            text = "))"
        written.append(token.gap + text)
        previous = token
    return "".join(written)


def _begins_path(previous: XPathToken | None, token: XPathToken) -> bool:
    """Whether a relative path begins at the token."""
    if token.kind not in _PATH_KINDS and not (token.kind is Kind.SYMBOL and token.text in _STEP_SYMBOLS):
        return False
    return previous is None or previous.kind is Kind.OPERATOR or previous.text in _BEFORE_A_PATH


def _check(expression: str, token: XPathToken) -> None:
    name = token.text
    if token.kind is Kind.VARIABLE:
        raise _unknown(expression, token, "variable", "XPath here has no variables; use %{…}")
    if token.kind is Kind.FUNCTION and name not in _FUNCTIONS:
        raise _unknown(expression, token, "function", _nearest(name, _FUNCTIONS))
    if token.kind is Kind.AXIS and name not in _AXES:
        raise _unknown(expression, token, "axis", _nearest(name, _AXES))
    if token.kind is Kind.NAME and ":" in name:
        hint = f"the tree has no namespaces: write *[name()='{name}']"
        raise _unknown(expression, token, "prefix", hint)


def _unknown(expression: str, token: XPathToken, what: str, hint: str) -> ParseError:
    return ParseError(
        f"the XPath {expression!r} names an unknown {what}: {token.text} at character {token.at + 1}",
        hint=hint,
    )


def _nearest(name: str, known: frozenset[str]) -> str:
    near = nearest(name, known)
    return f"did you mean {near}?" if near else "XPath 1.0 has no such name"
