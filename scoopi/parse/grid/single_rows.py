"""SingleRows: reads templates with one row each, such as those of labels, together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from operator import itemgetter

from scoopi.errors import ParseError
from scoopi.model.data import Item
from scoopi.model.failure import Failure
from scoopi.parse.grid.grid_axis import SURE_FACT, Finish, GridAxis
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.grid_template import GridTemplate

SingleColumn = tuple[int, Finish | None, bool]
"""(index of a cell, function that finishes its value, `keeps_sure` of its axis)."""


class SingleRows:
    """Reads several templates with one row each, such as those of labels, together.

    Ten labels are ten items with a `match` and no range, hence ten templates. Their axes are divided once
    into constants and cells of the page; a cell that several rows share is read once. Three rows of the
    labels `a`, `b` and `c` with a company's name:

        cells    h1  label-a  label-b  label-c
        values   of the cells, then of the constants a, b and c
        rows     (a, h1, label-a)  (b, h1, label-b)  (c, h1, label-c)

    Args:
        templates: the templates; read one by one if a cell fails, so that the first fault is reported.
        axes: the axes of each template, in the order of output; `fit` must be true for them.
        raw_items: rows hold the item's value without its prefix.
    """

    def __init__(
        self, templates: Sequence[GridTemplate], axes: Sequence[Sequence[GridAxis]], *, raw_items: bool
    ) -> None:
        self._templates = templates
        cells: dict[tuple[str, ...], int] = {}
        columns: dict[SingleColumn, int] = {}
        constants: dict[str | None, int] = {}
        rows: list[list[tuple[bool, int]]] = []
        for template in axes:
            row: list[tuple[bool, int]] = []
            for at, axis in enumerate(template):
                finish = None if raw_items and at == 0 else axis.finish
                if axis.query:
                    column = cells.setdefault(axis.query, len(cells)), finish, axis.keeps_sure
                    row.append((True, columns.setdefault(column, len(columns))))
                else:
                    constant = axis.fixed if finish is None else finish(axis.fixed)
                    row.append((False, constants.setdefault(constant, len(constants))))
            rows.append(row)
        self._cells = list(cells)
        self._known_of = itemgetter(*cells) if len(cells) > 1 else None
        self._columns = list(columns)
        self._constants = list(constants)
        self._picks = [
            itemgetter(*(at if is_read else at + len(columns) for is_read, at in row)) for row in rows
        ]
        self._heads = [tuple(axis.head for axis in template) for template in axes]
        self._indexes = [tuple(axis.first for axis in template) for template in axes]

    @staticmethod
    def fit(axes: Sequence[GridAxis]) -> bool:
        """Whether a template has one row that consists of constants and fixed cells."""
        return len(axes) > 1 and all(
            axis.first == axis.last
            and not axis.stops
            and not axis.ends_at_null
            and bool(axis.query or axis.is_constant)
            for axis in axes
        )

    def read(self, reading: GridReading, rows: list[Item]) -> list[Failure]:
        """Append the rows of one page to `rows`; returns and raises as `GridTemplate.read`."""
        try:
            raws = self._raws(reading)
        except ParseError:
            return [warning for template in self._templates for warning in template.read(reading, rows)]
        values = [
            raw if finish is None or (keeps and raw and raw[0] in SURE_FACT) else finish(raw)
            for at, finish, keeps in self._columns
            for raw in (raws[at],)
        ]
        values += self._constants
        picked = [pick(values) for pick in self._picks]
        made = zip(self._heads, picked, self._indexes, strict=True)
        rows.extend(map(tuple.__new__, repeat(Item), made))  # a quarter of the time that Item(…) takes
        return []

    def _raws(self, reading: GridReading) -> Sequence[str | None]:
        """The values of all cells; errors as for `GridReading.value`."""
        known, value = reading.known, reading.value
        if self._known_of is not None:
            # The values of all other cells often come with the first one, from one walk.
            value(self._cells[0][0], self._cells[0][1])
            try:
                found: tuple[str | None, ...] = self._known_of(known)
                return found
            except KeyError:
                pass
        return [known[cell] if cell in known else value(cell[0], cell[1]) for cell in self._cells]
