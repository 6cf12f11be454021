"""PagePart: the elements of a page that contain everything the definitions read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

AnchorKind = Literal["t", "i", "c", "a"]
TAG: AnchorKind = "t"
ID: AnchorKind = "i"
CLASS: AnchorKind = "c"
ATTRIBUTE: AnchorKind = "a"
MOST_ANCHORS = 32
"""Limit of the compiled bridge."""


class Anchor(NamedTuple):
    """Identifies elements that are needed, with all their contents unless they are shallow.

    Attributes:
        kind: whether `name` is a tag, an id, a class or the name of an attribute.
        name: lower-case ASCII; an id as written.
        joins_siblings: whether the contents of the element's siblings are needed, too.
        is_shallow: whether only the nested anchors are needed of the element's contents.
        is_nested: whether the anchor counts only on and inside the elements of a shallow anchor that is not
            nested itself.
    """

    kind: AnchorKind
    name: str
    joins_siblings: bool = False
    is_shallow: bool = False
    is_nested: bool = False


class PagePart(NamedTuple):
    """The elements of a page that contain everything the definitions read.

    The tree of a part has the anchors, their ancestors, and their siblings without contents. Selectors that
    start at the anchors find in it what they find in the whole page, positions among siblings included.

    Of cards, for example, a definition needs only the elements of its fields: the list is a shallow anchor,
    the card a shallow nested one, and each field a nested one.
    """

    anchors: tuple[Anchor, ...]


BASE = Anchor(TAG, "base")
"""Needed on every page: relative addresses depend on it."""


def joined(parts: Iterable[PagePart | None]) -> PagePart | None:
    """The union of the parts; None (the whole page) if one of them is None, or if there are too many anchors.

    If nested anchors make them too many, the shallow ones are needed with all their contents instead.

    >>> joined([PagePart((Anchor("i", "prices"),)), PagePart((Anchor("i", "prices", True),))]).anchors
    (Anchor(kind='i', name='prices', joins_siblings=True, is_shallow=False, is_nested=False),)
    """
    anchors: list[Anchor] = []
    for part in parts:
        if part is None:
            return None
        anchors += part.anchors
    for known in (
        _united(anchors),
        _united(each._replace(is_shallow=False) for each in anchors if not each.is_nested),
    ):
        if 0 < len(known) < MOST_ANCHORS:
            return PagePart(known)
    return None


def _united(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """The anchors without duplicates."""
    found: dict[tuple[object, ...], Anchor] = {}
    for anchor in anchors:
        key = (anchor.kind, anchor.name, anchor.is_shallow, anchor.is_nested)
        before = found.get(key, anchor)
        found[key] = anchor._replace(joins_siblings=anchor.joins_siblings or before.joins_siblings)
    return tuple(found.values())
