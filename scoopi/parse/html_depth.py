"""Guards of the tree's depth: the parser is quadratic in it, so depth is looked at before the parse."""

from __future__ import annotations

import re
from typing import NoReturn

from scoopi.errors import ParseError

_HARMLESS = 20_000
"""Tags in a page that cannot be slow, however they are nested (measured: 0.4 s at worst)."""

_TAG = re.compile(rb"<(/?)([A-Za-z][^\s/>]*)")
_NAMES = b"""
    area base basefont bgsound br col embed frame hr html head body img input keygen link meta param source
    track wbr p li dd dt tr td th tbody thead tfoot colgroup option optgroup rb rp rt rtc
"""
_NEVER_OPEN = frozenset(_NAMES.split())
"""Void elements, and those that the next of their kind closes."""


def refuse_depth(max_depth: int) -> NoReturn:
    """Raises the error of a page that is too deep."""
    raise ParseError(
        f"the page nests elements more than {max_depth:,} deep",
        mend="raise scoopi.parser.maxDepth if the page is right",
    )


def check_depth(page: bytes, max_depth: int) -> None:
    """Refuse a page whose tags alone show that it is far too deep; costs ordinary pages next to nothing.

    Raises:
        ParseError: more elements are open at once than the limit allows.
    """
    if page.count(b"<") <= max(max_depth, _HARMLESS):
        return
    stack: list[bytes] = []
    counts: dict[bytes, int] = {}
    for closing, name in _TAG.findall(page):
        tag = name.lower()
        if tag in _NEVER_OPEN:
            continue
        if not closing:
            stack.append(tag)
            counts[tag] = counts.get(tag, 0) + 1
            if len(stack) > max_depth:
                refuse_depth(max_depth)
        elif counts.get(tag):
            _close(stack, counts, tag)


def _close(stack: list[bytes], counts: dict[bytes, int], tag: bytes) -> None:
    while True:
        last = stack.pop()
        counts[last] -= 1
        if last == tag:
            return
