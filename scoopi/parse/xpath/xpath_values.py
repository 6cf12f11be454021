"""xpath_text, text_of: insert values of the page into an XPath as literals, and turn its result into text."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isinf, isnan
from typing import Any

from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.text.page_text import MARK, parts, shown
from scoopi.parse.element import Element
from scoopi.parse.xpath.xpath_tokens import xpath_literal

_QUOTES = re.compile("['\"]")
_NAME_BEFORE = re.compile(r"(?:[\w\-·]|[/@]|::)\Z")
_NAME_BEHIND = re.compile(r"[\w\-·]")
_NAME_LETTERS = re.compile(r"[\w.\-·]+")
_STRING = etree.XPath("string()", smart_strings=False)


def xpath_text(selector: str) -> str:
    r"""Insert the marked values into the expression, so that they cannot be read as code.

    Inside quotes a value is part of the literal, whatever quotes it contains. After `/`, `@` and `::`, or
    next to letters of a name, it is a name or part of one. As a whole predicate it is a position. Elsewhere
    it is a literal of its own.

    >>> from scoopi.model.text.page_text import marked
    >>> print(xpath_text(f"//td[.='{marked('De' + chr(39) + 'Longhi')}']"))
    //td[.="De'Longhi"]
    >>> print(xpath_text(f"//h{marked('2')}[{marked('3')}]"))
    //h2[number('3')]

    Raises:
        ParseError: a value is used as a name but is not a valid one.
    """
    if MARK not in selector:
        return selector
    written: list[str] = []
    quote, literal = "", ""
    pieces = parts(selector)
    for at, piece in enumerate(pieces):
        if at % 2:
            if quote:
                literal += piece
            else:
                written.append(_standing(pieces[at - 1], piece, pieces[at + 1], selector))
            continue
        end = 0
        for found in _QUOTES.finditer(piece):
            if quote and found[0] != quote:
                continue
            passed = piece[end : found.start()]
            written.append(xpath_literal(literal + passed, quote) if quote else passed)
            quote, literal = ("", "") if quote else (found[0], "")
            end = found.end()
        if quote:
            literal += piece[end:]
        else:
            written.append(piece[end:])
    return "".join(written) + (quote + literal if quote else "")


def _standing(before: str, value: str, behind: str, selector: str) -> str:
    """The expression for a value outside quotes."""
    left, right = before.rstrip(), behind.lstrip()
    if _NAME_BEFORE.search(before) or left.endswith(("/", "@", "::")) or _NAME_BEHIND.match(behind):
        if not _NAME_LETTERS.fullmatch(value):
            raise ParseError(
                f"the XPath {shown(selector)!r} needs a name where a value of the page stands",
                hint="put the placeholder between quotes to compare with a text",
            )
        return value
    literal = xpath_literal(value)
    return f"number({literal})" if left.endswith("[") and right.startswith("]") else literal


def text_of(result: Any) -> str | None:
    """The result of an XPath as text: of the last node, or as `string()` gives it; None for no node.

    Source: defs/README.md, 3.3.
    """
    if isinstance(result, list):
        return text_of_node(result[-1]) if result else None
    if isinstance(result, bool):
        return "true" if result else "false"
    return result if isinstance(result, str) else text_of_number(result)


def text_of_node(node: Element | str | tuple[str, str]) -> str:
    """All text inside the node, untrimmed; with scripts, without comments; U+00A0 is kept."""
    if isinstance(node, str):
        return node
    if isinstance(node, tuple):
        return node[1]
    if len(node) == 0:
        return node.text or ""
    return str(_STRING(node))


def text_of_number(number: float) -> str:
    """The number as XPath's `string()` writes it: no exponent, no point in a whole number."""
    if isnan(number):
        return "NaN"
    if isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == int(number):
        return str(int(number))
    return format(Decimal(repr(number)), "f")
