"""build_data_def: builds a DataDef from a data definition, and keeps the place of each entry."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from scoopi.defs.records.download_language import DOWNLOAD, read_download
from scoopi.defs.scrape.digest import definition_digest
from scoopi.defs.yaml.node import Table, read_bool, read_integer, read_range
from scoopi.model.data_def import DataDef, FilterDef, ItemDef
from scoopi.model.place import NOWHERE, Place

AxisName = Literal["item", "dim", "fact"]
FACT: Final = "fact"


class WrittenItem(msgspec.Struct, frozen=True):
    """An entry of items, dims or facts; `node` is None for the default fact."""

    item: ItemDef
    axis: AxisName
    key: str
    node: Table | None = None

    def at(self, name: str) -> Place:
        """Return the place of the value of one of its keys."""
        return self.node.at(name) if self.node is not None else self.item.place


class WrittenDataDef(msgspec.Struct, frozen=True):
    """A data definition and its source; `place` is where its name is written."""

    data_def: DataDef
    key: str
    items: tuple[WrittenItem, ...]
    dims: tuple[WrittenItem, ...]
    facts: tuple[WrittenItem, ...]
    place: Place

    @property
    def entries(self) -> tuple[WrittenItem, ...]:
        """All entries: items, then dims, then facts."""
        return (*self.items, *self.dims, *self.facts)

    @property
    def link_groups(self) -> list[str]:
        """The names of the task groups that the items link to."""
        return [each.item.link_group for each in self.items if each.item.link_group]


def build_data_def(name: str, node: Table, key: str, place: Place) -> WrittenDataDef:
    """Build a normalized data definition, with default facts, index ranges, and orders by position.

    Malformed entries, which a checker reports, count as absent.
    Source: defs/README.md, 1.8, 2.2.
    """
    items, dims = _entries(node, "items", "item", key), _entries(node, "dims", "dim", key)
    default = WrittenItem(ItemDef(FACT, place=place), FACT, f"{key}.facts[0]")
    facts = _entries(node, "facts", FACT, key) or (default,)
    query = node.table("query") or Table({}, {}, NOWHERE)
    data_def = DataDef(
        name=name,
        block=query.text("block") or "",
        selector=query.text("selector"),
        items=tuple(each.item for each in items),
        dims=tuple(each.item for each in dims),
        facts=tuple(each.item for each in facts),
        place=place,
        block_place=query.at("block") if query.text("block") else NOWHERE,
        selector_place=query.at("selector") if query.text("selector") is not None else NOWHERE,
    )
    data_def = msgspec.structs.replace(data_def, digest=definition_digest(data_def))
    return WrittenDataDef(data_def, key, items, dims, facts, place)


def _entries(node: Table, name: str, axis: AxisName, key: str) -> tuple[WrittenItem, ...]:
    return tuple(
        WrittenItem(_item(entry, axis, number), axis, f"{key}.{name}[{number - 1}]", entry)
        for number, entry in enumerate(node.tables(name, "item"), start=1)
    )


def _item(node: Table, axis: AxisName, position: int) -> ItemDef:
    first, last = _range(node, axis)
    order = read_integer(node.text("order") or "")
    has_selector = node.text("selector") is not None
    return ItemDef(
        name=node.text("name") or "",
        value=node.text("value"),
        match=node.text("match"),
        script=node.text("script"),
        selector=node.text("selector"),
        first=first,
        last=last,
        break_after=node.texts("breakAfter"),
        order=position if order is None else order,
        filters=tuple(
            FilterDef(
                each.text("type") or "", each.text("pattern") or "", each.at("pattern"), each.at("type")
            )
            for each in node.tables("filters", "filter")
        ),
        prefix=node.texts("prefix"),
        link_group=node.text("linkGroup"),
        link_break_on=node.texts("linkBreakOn"),
        once=bool(read_bool(node.text("once") or "")),
        download=read_download(node.table(DOWNLOAD)),
        place=node.at("name"),
        selector_place=node.at("selector") if has_selector else NOWHERE,
    )


def _range(node: Table, axis: AxisName) -> tuple[int, int | None]:
    """The first and the last index; the last is None if the range is open."""
    given = read_range(node.text("indexRange") or "")
    if given is not None:
        return given
    index = read_integer(node.text("index") or "")
    if "indexRange" in node.entries or (index is None and axis == FACT):
        return 1, 1
    first = 1 if index is None else index
    return first, None if node.texts("breakAfter") else first
