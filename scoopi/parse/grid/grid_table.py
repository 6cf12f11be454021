"""GridTable: the columns of an axis that is read by the positions of a row and of a cell in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from scoopi.parse.cells.positional_index import PositionalIndex


class GridTable:
    """Reads whole rows instead of a cell at a time.

    Args:
        index: of the page.
        axes: the axis whose index is the row's position, and that of the cell's; not the same, None for a
            position that is written in the selector.
        positions: the positions as written, where there is no axis.
    """

    def __init__(self, index: PositionalIndex, axes: Sequence[int | None], positions: Sequence[int]) -> None:
        self._index = index
        self._axes = axes
        self._positions = positions

    def column(self, ranges: Sequence[range]) -> list[str | None]:
        """The values for all indexes of the axes, of which the one that comes last in a row is fastest.

        Raises:
            ParseError: a query failed.
        """
        rows, cells = (
            range(position, position + 1) if axis is None else ranges[axis]
            for axis, position in zip(self._axes, self._positions, strict=True)
        )
        values = self._index.table(rows, cells)
        row_axis, cell_axis = self._axes
        if row_axis is not None and cell_axis is not None and cell_axis < row_axis:
            return list(chain.from_iterable(values[at :: len(cells)] for at in range(len(cells))))
        return values
