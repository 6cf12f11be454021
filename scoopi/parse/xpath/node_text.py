"""text_of: the value of an XPath result, as text."""

from __future__ import annotations

from decimal import Decimal
from math import isinf, isnan
from typing import Any

from lxml import etree

_STRING = etree.XPath("string()", smart_strings=False)


def text_of(result: Any) -> str | None:
    """The text of the last node, the string, or the number or boolean as `string()` has it; None for no node.

    Source: defs/README.md, 3.3.
    """
    if isinstance(result, list):
        return text_of_node(result[-1]) if result else None
    if isinstance(result, bool):
        return "true" if result else "false"
    return result if isinstance(result, str) else text_of_number(result)


def text_of_node(node: etree._Element | str | tuple[str, str]) -> str:
    """All text inside the node, scripts included, comments not; nothing trimmed, U+00A0 kept."""
    if isinstance(node, str):
        return node
    if isinstance(node, tuple):
        return node[1]
    if len(node) == 0:
        return node.text or ""
    return str(_STRING(node))


def text_of_number(number: float) -> str:
    """The number by XPath's `string()`: no exponent, no point in a whole number."""
    if isnan(number):
        return "NaN"
    if isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == int(number):
        return str(int(number))
    return format(Decimal(repr(number)), "f")
