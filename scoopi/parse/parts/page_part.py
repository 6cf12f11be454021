"""PagePart: the elements of a page in which all lies that definitions read there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Kind = Literal["t", "i", "c", "a"]
TAG: Kind = "t"
ID: Kind = "i"
CLASS: Kind = "c"
ATTRIBUTE: Kind = "a"
MOST_ANCHORS = 32
"""The compiled bridge looks for no more of them."""


class Anchor(NamedTuple):
    """What marks an element that is needed with all that is inside.

    Attributes:
        kind: what `name` is: a tag, an id, a class, or an attribute that the element has.
        name: ASCII in lower case; an id is as written.
        joins_siblings: what is inside its siblings is needed, too.
    """

    kind: Kind
    name: str
    joins_siblings: bool = False


class PagePart(NamedTuple):
    """The elements of a page in which all lies that definitions read there.

    A tree of this part has them, with all that is inside; the elements around them, up to `html`; and their
    siblings, without what is inside. Selectors that begin at the anchors find in it what they find in the
    whole page, positions among siblings included.
    """

    anchors: tuple[Anchor, ...]


BASE = Anchor(TAG, "base")
"""What addresses of a page are relative to is needed of every page."""


def joined(parts: Iterable[PagePart | None]) -> PagePart | None:
    """All that is in one of the parts; None (the whole page) if one of them is, or for too many anchors.

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
