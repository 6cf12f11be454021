"""Limits of a tree's depth and size: rejects early what would take too long or too much memory."""

from __future__ import annotations

import re
from typing import NoReturn

from scoopi.errors import ParseError

MAX_NODES = 2_000_000
"""Default limit of the elements, texts, comments and attributes of a page."""

_HARMLESS = 20_000
"""Number of elements, even all nested, that is still fast enough to parse (measured: 0.4 s)."""

_WITHOUT_TAGS = re.compile(
    rb"<!--.*?-->|<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?</\1",
    re.DOTALL | re.IGNORECASE,
)
_OPENING = re.compile(rb"<[A-Za-z][^>]*")
_QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")
_ATTRIBUTE = re.compile(rb"[\s/][^\s/=]")
_LEAST_NODE = 2
"""Fewest bytes of a node: an attribute with the blank before it."""

_TAG = re.compile(rb"<(/?)([A-Za-z][^\s/>]*)[^>]*?(/?)>")
_NAMES = b"""
    area base basefont bgsound br col embed frame hr html head body img input keygen link meta param source
    track wbr p li dd dt tr td th tbody thead tfoot colgroup option optgroup rb rp rt rtc a nobr button h1 h2
    h3 h4 h5 h6
"""
_NEVER_OPEN = frozenset(_NAMES.split())
"""Void elements, and elements that the next one of their kind closes."""


def refuse_depth(max_depth: int) -> NoReturn:
    """Raise the ParseError for a page that is deeper than `max_depth` elements."""
    raise ParseError(
        f"the page nests elements more than {max_depth:,} deep",
        hint="raise scoopi.parser.maxDepth if the page is right",
    )


def refuse_nodes(max_nodes: int) -> NoReturn:
    """Raise the ParseError for a page with more than `max_nodes` nodes."""
    raise ParseError(
        f"the page has more than {max_nodes:,} nodes (elements, texts, comments and attributes)",
        hint="raise scoopi.parser.maxNodes if the page is right",
    )


def check_nodes(page: bytes, max_nodes: int) -> None:
    """Reject a page if its tags alone exceed the limit of nodes; the exact number is known from the tree.

    Raises:
        ParseError: it has too many tags, attributes and comments.
    """
    most = max(max_nodes, _HARMLESS)
    if len(page) < _LEAST_NODE * most:
        return
    nodes = page.count(b"<!--")
    for tag in _OPENING.finditer(_WITHOUT_TAGS.sub(b"", page)):
        nodes += 1 + len(_ATTRIBUTE.findall(_QUOTED.sub(b"", tag[0])))
        if nodes > most:
            refuse_nodes(max_nodes)


def check_depth(page: bytes, max_depth: int) -> None:
    """Reject a page if its tags alone show that parsing would take long; nearly free for ordinary pages.

    The exact depth is known only from the tree.

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
