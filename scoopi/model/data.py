"""Data: the rows that one data definition reads from one page."""

from __future__ import annotations

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
