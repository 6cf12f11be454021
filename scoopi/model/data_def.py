"""DataDef: what to read on a page."""

from __future__ import annotations

import re

import msgspec

from scoopi.model.downloads import Download
from scoopi.model.place import NOWHERE, Place

_REGEX_SIGN = re.compile(r"[*+()\[\]{}|^$\\]")


class FilterDef(msgspec.Struct, frozen=True):
    """Drops a row if the value of the axis (or its match, for type `match`) matches `pattern`."""

    type: str
    pattern: str
    place: Place = NOWHERE
    type_place: Place = NOWHERE


class ItemDef(msgspec.Struct, frozen=True):
    """One entry of `items`, `dims` or `facts`, normalized.

    Attributes:
        first: first index of the axis' range (defs/README.md, 2.2).
        last: last index, None for an open range.
        break_after: the values after which the range ends; empty if the definition has none.
        order: as defined, else the 1-based position in its list.
        once: whether the link made from it is followed only once per locator.
        download: how the files that its values lead to are downloaded; None if they are not.
        place: where the entry is defined.
        selector_place: where its selector is defined.
    """

    name: str
    value: str | None = None
    match: str | None = None
    script: str | None = None
    selector: str | None = None
    first: int = 1
    last: int | None = 1
    break_after: tuple[str, ...] = ()
    order: int = 1
    filters: tuple[FilterDef, ...] = ()
    prefix: tuple[str, ...] = ()
    link_group: str | None = None
    link_break_on: tuple[str, ...] = ()
    once: bool = False
    download: Download | None = None
    place: Place = NOWHERE
    selector_place: Place = NOWHERE


def is_link_pattern(text: str) -> bool:
    """Whether a text of `linkBreakOn` is a regular expression too; addresses rarely contain its characters.

    >>> is_link_pattern("list.html?page=3"), is_link_pattern(".*/archive/.*")
    (False, True)
    """
    return _REGEX_SIGN.search(text) is not None


class DataDef(msgspec.Struct, frozen=True):
    """A grid to read from a page: rows from `items`, columns from `dims`, the last column from `facts`.

    `facts` is never empty.

    `selector` is the query of the fact; the block of every axis is `block`.
    `digest` is the blake2b-128 hex digest of the effective definition, without its places.
    """

    name: str
    block: str
    selector: str | None
    items: tuple[ItemDef, ...]
    dims: tuple[ItemDef, ...]
    facts: tuple[ItemDef, ...]
    digest: str = ""
    place: Place = NOWHERE
    block_place: Place = NOWHERE
    selector_place: Place = NOWHERE

    @property
    def downloads(self) -> dict[str, Download]:
        """How files are downloaded, by the name of the entry whose values lead to them."""
        entries = (*self.items, *self.dims, *self.facts)
        return {each.name: each.download for each in entries if each.download is not None}

    @property
    def columns(self) -> tuple[ItemDef, ...]:
        """The entries that name the columns of a header: the first item, the dims, the fact."""
        return (*self.items[:1], *self.dims, *self.facts[:1])
