"""Guards of the tree's depth: the parser is quadratic in it, so the walk looks at it before the parse."""

from __future__ import annotations

import re
from typing import NoReturn

from scoopi.errors import ParseError

_HARMLESS = 20_000
"""So many elements inside one another are not slow yet (measured: 0.4 s)."""

_WITHOUT_TAGS = re.compile(
    rb"<!--.*?-->|<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?</\1",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(rb"<(/?)([A-Za-z][^\s/>]*)[^>]*?(/?)>")
_NAMES = b"""
    area base basefont bgsound br col embed frame hr html head body img input keygen link meta param source
    track wbr p li dd dt tr td th tbody thead tfoot colgroup option optgroup rb rp rt rtc a nobr button h1 h2
    h3 h4 h5 h6
"""
_NEVER_OPEN = frozenset(_NAMES.split())
"""Void elements, and those that the next of their kind closes."""


def refuse_depth(max_depth: int) -> NoReturn:
    """Raises the error of a page that is too deep."""
    raise ParseError(
        f"the page nests elements more than {max_depth:,} deep",
        hint="raise scoopi.parser.maxDepth if the page is right",
    )


def check_depth(page: bytes, max_depth: int) -> None:
    """Refuse a page whose tags alone show that it would take long; costs ordinary pages next to nothing.

    What the page's depth really is only the tree tells.

    Raises:
        ParseError: far more elements seem to be open at once than the limit allows.
    """
    most = max(max_depth, _HARMLESS)
    if page.count(b"<") <= most:
        return
    stack: list[bytes] = []
    counts: dict[bytes, int] = {}
    for closing, name, closed in _TAG.findall(_WITHOUT_TAGS.sub(b"", page)):
        tag = name.lower()
        if tag in _NEVER_OPEN or (closed and (counts.get(b"svg") or counts.get(b"math"))):
            continue
        if not closing:
            stack.append(tag)
            counts[tag] = counts.get(tag, 0) + 1
            if len(stack) > most:
                refuse_depth(max_depth)
        elif counts.get(tag):
            _close(stack, counts, tag)


def _close(stack: list[bytes], counts: dict[bytes, int], tag: bytes) -> None:
    while True:
        last = stack.pop()
        counts[last] -= 1
        if last == tag:
            return
