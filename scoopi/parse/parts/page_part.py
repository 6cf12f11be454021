"""PagePart: the elements of a page that contain everything the definitions read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["t", "i", "c", "a"]
TAG: Kind = "t"
ID: Kind = "i"
CLASS: Kind = "c"
ATTRIBUTE: Kind = "a"
MOST_ANCHORS = 32
"""Limit of the compiled bridge."""


class Anchor(NamedTuple):
    """Identifies elements that are needed with all their contents.

    Attributes:
        kind: whether `name` is a tag, an id, a class or the name of an attribute.
        name: lower-case ASCII; an id as written.
        joins_siblings: the contents of the element's siblings are needed, too.
    """

    kind: Kind
    name: str
    joins_siblings: bool = False


class PagePart(NamedTuple):
    """The elements of a page that contain everything the definitions read.

    The tree of a part has the anchors with all their contents, their ancestors, and their siblings without
    contents. Selectors that start at the anchors find in it what they find in the whole page, positions
    among siblings included.
    """

    anchors: tuple[Anchor, ...]


BASE = Anchor(TAG, "base")
"""Needed on every page: relative addresses depend on it."""


def joined(parts: Iterable[PagePart | None]) -> PagePart | None:
    """The union of the parts; None (the whole page) if one of them is None, or if there are too many anchors.

    >>> joined([PagePart((Anchor("i", "prices"),)), PagePart((Anchor("i", "prices", True),))]).anchors
    (Anchor(kind='i', name='prices', joins_siblings=True),)
    """
    found: dict[tuple[str, str], Anchor] = {}
    for part in parts:
        if part is None:
            return None
        for anchor in part.anchors:
            before = found.get(anchor[:2], anchor)
            found[anchor[:2]] = anchor._replace(joins_siblings=anchor.joins_siblings or before.joins_siblings)
    return PagePart(tuple(found.values())) if 0 < len(found) < MOST_ANCHORS else None
