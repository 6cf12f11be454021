"""DataDef: what to read on a page."""

from __future__ import annotations

import re

import msgspec

from scoopi.model.downloads import Download
from scoopi.model.place import NOWHERE, Place

_REGEX_SIGN = re.compile(r"[*+()\[\]{}|^$\\]")


class FilterDef(msgspec.Struct, frozen=True):
    """A row is dropped when the axis' value (or its match, for type `match`) meets the pattern."""

    type: str
    pattern: str
    place: Place = NOWHERE
    type_place: Place = NOWHERE


class ItemDef(msgspec.Struct, frozen=True):
    """One entry of `items`, `dims` or `facts`, normalized.

    Attributes:
        first: first index of the axis' range (defs/README.md, 2.2).
        last: last index, None for an open range.
        break_after: stop values; empty when the definition has none.
        order: as defined, else the 1-based position in its list.
        once: the link made from it is followed once per locator.
        download: how the files are downloaded that its values lead to; None if they are not.
        selector_place: where the selector stands; others likewise by `place`.
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
    """Whether a text of `linkBreakOn` is also a regular expression: addresses rarely have such characters.

    >>> is_link_pattern("list.html?page=3"), is_link_pattern(".*/archive/.*")
    (False, True)
    """
    return _REGEX_SIGN.search(text) is not None


class DataDef(msgspec.Struct, frozen=True):
    """A grid to read on a page: rows from `items`, columns from `dims`, the last column from `facts`.

    `facts` is never empty.

    `selector` is the query of the fact; every axis takes its block from `block`.
    `digest` is the blake2b-128 hex digest of the effective definition, places left out.
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
        """How the files are downloaded that the values of entries lead to, by their names."""
        entries = (*self.items, *self.dims, *self.facts)
        return {each.name: each.download for each in entries if each.download is not None}

    @property
    def columns(self) -> tuple[ItemDef, ...]:
        """The entries by which a header names the values of a row: the first item, the dims, the fact."""
        return (*self.items[:1], *self.dims, *self.facts[:1])
