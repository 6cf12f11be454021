"""Data: the rows that one data definition reads from one page, and what links and scripts take of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec


class Axis(msgspec.Struct, frozen=True):
    """The head of one column of a template of rows; shared by all its items.

    Attributes:
        axis_name: `item`, `dim` or `fact`.
        item_name: the name given in the definition.
        order: as defined, else the 1-based position in its list.
        match: the definition's `match`, with its backslashes, or None.
    """

    axis_name: str
    item_name: str
    order: int
    match: str | None = None


class Item(NamedTuple):
    """One row: the axes in output order (item, dims, fact), and their values and indexes beside them."""

    axes: tuple[Axis, ...]
    values: tuple[str | None, ...]
    indexes: tuple[int, ...]


class Data(msgspec.Struct, frozen=True):
    """The rows of a page by one data definition, in the order of their making."""

    data_def: str
    items: tuple[Item, ...]

    def with_items(self, items: list[Item] | tuple[Item, ...]) -> Data:
        """The same data with other rows."""
        return Data(self.data_def, tuple(items))


class LinkData(Data, frozen=True):
    """Data of a task that creates links; the values of its items are raw, without their prefix.

    Steps in between (filters, scripts) handle it as Data and keep the extra fields through `with_items`.

    Attributes:
        page_url: the page's final address; for a page from a path its address as written.
        base_href: the `href` of the page's first `base` element that has one, as written.
    """

    page_url: str = ""
    base_href: str | None = None

    def with_items(self, items: list[Item] | tuple[Item, ...]) -> LinkData:
        """The same page's data with other rows."""
        return LinkData(self.data_def, tuple(items), self.page_url, self.base_href)


class ScriptRow(NamedTuple):
    """The row that a script may read: its axes in output order; values not yet read are None.

    Attributes:
        own: index of the axis whose script runs.
    """

    axes: Sequence[Axis]
    own: int
    indexes: Sequence[int]
    values: Sequence[str | None]

    def as_json(self) -> str:
        """`own`, and for each axis its name, item name, order, match, index and value, as JSON."""
        axes = [
            (axis.axis_name, axis.item_name, axis.order, axis.match, index, value)
            for axis, index, value in zip(self.axes, self.indexes, self.values, strict=True)
        ]
        return msgspec.json.encode({"own": self.own, "axes": axes}).decode()
