"""Writes simple tests of selectors as XPath 1.0 conditions."""

from __future__ import annotations

import re

from scoopi.parse.css import syntax
from scoopi.parse.xpath.xpath_tokens import xpath_literal

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME = re.compile("[a-z_][a-z0-9_-]*").fullmatch
_PLAIN = re.compile("[ -~]*").fullmatch


def is_plain(text: str) -> bool:
    """Whether the text is printable ASCII, so that XPath's `translate()` can turn it into lower case."""
    return _PLAIN(text) is not None


def tag_condition(name: str) -> str:
    """The condition for elements of that name, also those of SVG and MathML."""
    return f"self::{name}" if is_name(name) else f"name()={xpath_literal(name)}"


def is_name(name: str) -> bool:
    """Whether the name, in lower case, can be written in an XPath without quotes."""
    return _NAME(name) is not None


def class_condition(name: str, attribute: str = "@class") -> str:
    """The condition for elements with that class, in any case; `attribute` is the path to the attribute."""
    return f"contains(concat(' ',normalize-space({_folded(attribute)}),' '),{xpath_literal(f' {name} ')})"


def attribute_condition(test: syntax.AttributeTest) -> str | None:
    """The condition of an attribute test; None if XPath cannot express it."""
    if test.operator == "^" or not is_name(test.name):
        return None
    if test.operator == "!=":
        return (
            f"not({_folded(f'@{test.name}')}={xpath_literal(test.value)})" if is_plain(test.value) else None
        )
    condition = _value_condition(test, f"@{test.name}")
    if condition is None:
        return None
    return f"@{test.name} and {condition}" if condition else f"@{test.name}"


def attribute_path(test: syntax.Test) -> str | None:
    """The path from an element to the attribute that the test requires.

    None if it requires none, or XPath cannot express the test.
    """
    match test:
        case syntax.Id(value):
            return f"@id[.={xpath_literal(value)}]"
        case syntax.ClassName(name) if is_plain(name):
            return f"@class[{class_condition(name, '.')}]"
        case syntax.AttributeTest(name, operator, _) if operator not in ("^", "!=") and is_name(name):
            condition = _value_condition(test, ".")
            return f"@{name}[{condition or 'true()'}]" if condition is not None else None
    return None


def _value_condition(test: syntax.AttributeTest, attribute: str) -> str | None:
    """The condition on the value; empty if presence is enough, None if XPath cannot express it."""
    if test.operator == "~=" or not is_plain(test.value):
        return None
    folded, text = _folded(attribute), xpath_literal(test.value)
    match test.operator:
        case "=":
            return _whole_value(folded, test.value)
        case "^=":
            return f"starts-with({folded},{text})"
        case "$=":
            return suffix_condition(folded, test.value)
        case "*=":
            return f"contains({folded},{text})"
    return ""


def suffix_condition(expression: str, suffix: str) -> str:
    """The condition that the text of the expression ends in the suffix."""
    return f"substring({expression},string-length({expression})-{len(suffix) - 1})={xpath_literal(suffix)}"


def nth_condition(position: str, a: int, b: int) -> str:
    """The condition that the number `position`, an expression, is a·n + b for some n >= 0.

    >>> nth_condition("position()", 2, 1)
    'position()>=1 and (position()-(1)) mod 2=0'
    """
    if a == 0:
        return f"{position}={b}"
    if a > 0:
        return f"{position}>={b} and ({position}-({b})) mod {a}=0"
    return f"{position}<={b} and ({b}-({position})) mod {-a}=0"


def position_condition(test: syntax.Nth | syntax.SiblingIndex) -> str:
    """The test as a predicate on `*` right after an axis that visits the siblings in document order."""
    if isinstance(test, syntax.SiblingIndex):
        return f"position(){test.operator}{test.index + 1}"
    if test.from_end:
        return nth_condition("(last()-position()+1)", test.a, test.b)
    return str(test.b) if test.a == 0 else nth_condition("position()", test.a, test.b)


def _folded(expression: str) -> str:
    return f"translate({expression},'{_UPPER}','{_UPPER.lower()}')"


def _whole_value(folded: str, value: str) -> str:
    """Compares the trimmed value. Blanks inside count, so the words are compared first, then the text."""
    words = f"normalize-space({folded})={xpath_literal(' '.join(value.split()))}"
    return f"{words} and contains({folded},{xpath_literal(value)})" if " " in value else words
