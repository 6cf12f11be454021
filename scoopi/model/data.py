"""Data: the rows that one data definition reads from one page, and their views for links and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec


class Axis(msgspec.Struct, frozen=True):
    """The head of one column of a grid, shared by all of the grid's rows.

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
    """One row: its axes in output order (item, dims, fact), with one value and one index for each axis."""

    axes: tuple[Axis, ...]
    values: tuple[str | None, ...]
    indexes: tuple[int, ...]


class Data(msgspec.Struct, frozen=True):
    """The rows that one data definition reads from a page, in the order in which they were read."""

    data_def: str
    items: tuple[Item, ...]

    def with_items(self, items: list[Item] | tuple[Item, ...]) -> Data:
        """Return the same data with other rows."""
        return Data(self.data_def, tuple(items))


class LinkData(Data, frozen=True):
    """Data of a task that creates links; its values are raw, without their prefix.

    The steps before the links are made (filters, scripts) treat it as Data; `with_items` keeps the extra
    fields.

    Attributes:
        page_url: the page's final address; of a local file, its address as written.
        base_href: the `href` of the page's first `base` element that has one, as written.
    """

    page_url: str = ""
    base_href: str | None = None

    def with_items(self, items: list[Item] | tuple[Item, ...]) -> LinkData:
        """Return the same data with other rows; the page stays the same."""
        return LinkData(self.data_def, tuple(items), self.page_url, self.base_href)


class ScriptRow(NamedTuple):
    """The row as a script sees it: its axes in output order; values not yet read are None.

    Attributes:
        own: the index in `axes` of the axis whose script runs.
    """

    axes: Sequence[Axis]
    own: int
    indexes: Sequence[int]
    values: Sequence[str | None]

    def as_json(self) -> str:
        """Return the row as JSON: `own`, and of each axis its name, item name, order, match, index, value."""
        axes = [
            (axis.axis_name, axis.item_name, axis.order, axis.match, index, value)
            for axis, index, value in zip(self.axes, self.indexes, self.values, strict=True)
        ]
        return msgspec.json.encode({"own": self.own, "axes": axes}).decode()
