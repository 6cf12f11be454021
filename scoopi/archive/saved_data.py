"""SavedData: rows in the form in which they are kept; rows of one shape share the heads of their columns."""

from __future__ import annotations

import msgspec

from scoopi.model.data import Axis, Data, Item


class SavedData(msgspec.Struct, frozen=True, array_like=True):
    """The rows of a Data.

    Attributes:
        shapes: the distinct column heads.
        rows: of each item the number of its shape, its values and its indexes.
    """

    data_def: str
    shapes: tuple[tuple[Axis, ...], ...]
    rows: tuple[tuple[int, tuple[str | None, ...], tuple[int, ...]], ...]

    @classmethod
    def of(cls, data: Data) -> SavedData:
        """The data in its kept form."""
        shapes: dict[tuple[Axis, ...], int] = {}
        rows = tuple(
            (shapes.setdefault(item.axes, len(shapes)), item.values, item.indexes) for item in data.items
        )
        return cls(data.data_def, tuple(shapes), rows)

    def data(self) -> Data:
        """The data again.

        Raises:
            IndexError: a row names a shape that is not there.
        """
        return Data(
            self.data_def,
            tuple(Item(self.shapes[shape], values, indexes) for shape, values, indexes in self.rows),
        )
