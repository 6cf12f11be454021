"""GridQuery: block and selector of one axis, ready to give a value for any row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, product
from operator import itemgetter
from typing import NamedTuple, TypeVar

from scoopi.errors import ParseError, ScriptError
from scoopi.model.place import Place
from scoopi.model.text.page_text import parts, shown
from scoopi.parse.cells.positional_index import Leaf, PositionalIndex
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.placeholder_template import IndexOf, PlaceholderTemplate
from scoopi.parse.query_ports import Positional, PositionalBlock, QueryEngine

QueryFault = TypeVar("QueryFault", bound=ParseError | ScriptError)

RawValue = Callable[[Sequence[int], Sequence[str | None]], str | None]
"""Indexes and values of a row's axes -> the raw value of one axis."""

_FIRST_STAND_IN = 70_000_000
_QUOTED, _CHARACTER = re.compile(r"'[^']*'"), re.compile(r",? at character \d+")
"""Parts of an error message that differ from page to page: the text as it was used, and the character."""


class GridQuery:
    """Block and selector of one axis, ready to give a value for any row.

    Reads by position where only indexes inside `:nth-child` vary, else by a query for each text.

    Args:
        block: the block's selector.
        selector: the selector inside the block; without placeholders it is compiled here.
        engine: compiles it.
        place: of the selector in the definitions.
    Raises:
        ParseError: a selector without placeholders is wrong.

    Attributes:
        axes: those on whose index the value depends.
        values: the axes on whose value it depends.
    """

    def __init__(
        self, block: PlaceholderTemplate, selector: PlaceholderTemplate, engine: QueryEngine, place: Place
    ) -> None:
        self._block = block
        self._selector = selector
        self._place = place
        self.axes = block.axes | selector.axes
        self.values = block.values | selector.values
        if selector.text is not None:
            with located(place):
                engine.compile_value(selector.text)
        opened = _opened(block)
        self._block_axes = opened.axes
        self._block_place = engine.positional_block(opened.text, list(opened.axes)) if opened.axes else None
        opened = _opened(selector) if block.text is not None else _Opened("", {})
        self._stand_ins = opened.axes
        self._positional = engine.positional(opened.text, list(opened.axes)) if opened.axes else None

    def bind(self, reading: GridReading) -> RawValue:
        """The function that reads values of this page."""
        value = self._bind(reading)
        if len(self.axes) > 1 or self.values:
            return value
        return _remembered(value, next(iter(self.axes), 0))

    def column(self, reading: GridReading, ranges: Sequence[range], needs: Sequence[int]) -> list[str | None]:
        """The values for all indexes of some axes, the last one fastest; as `GridAxis.read_column`.

        Raises:
            ParseError: a query failed.
        """
        positional, block = self._positional, self._block.text
        if block is not None and self._selector.text is not None:  # ten labels are ten columns of one value
            return [self._queried(reading, block, self._selector.text)]
        if positional is not None and block is not None and len(positional.positions) == 2:
            axes = [self._stand_ins.get(position) for position in positional.positions]
            if axes[0] != axes[1]:
                try:  # not `located`, which takes longer: once for each column of a page
                    cells = reading.index(block, positional.query)
                    return _table_column(cells, axes, positional.positions, ranges)
                except ParseError as error:
                    raise placed(error, self._place) from error
        if positional is not None and block is not None and len(positional.positions) == len(needs) == 1:
            try:
                return list(map(reading.index(block, positional.query).leaf(()).get, ranges[needs[0]]))
            except ParseError as error:
                raise placed(error, self._place) from error
        value = self._bind(reading)
        indexes = [one.start for one in ranges]
        column = []
        for needed in product(*(ranges[need] for need in needs)):
            for need, index in zip(needs, needed, strict=True):
                indexes[need] = index
            column.append(value(indexes, ()))
        return column

    def _bind(self, reading: GridReading) -> RawValue:
        if self._positional is not None and self._block.text is not None:
            return self._by_position(reading, self._positional, self._block.text)

        def value(indexes: Sequence[int], values: Sequence[str | None]) -> str | None:
            block = self._block.render(indexes, values)
            return self._queried(
                reading, block, self._selector.render(indexes, values), self._place_of(indexes)
            )

        return value

    def _place_of(self, indexes: Sequence[int]) -> PositionalBlock | None:
        if self._block_place is None:
            return None
        query, positions = self._block_place
        axes = self._block_axes
        return PositionalBlock(
            query, tuple([indexes[axes[each]] if each in axes else each for each in positions])
        )

    def _queried(
        self, reading: GridReading, block: str, selector: str, place: PositionalBlock | None = None
    ) -> str | None:
        try:
            return reading.value(block, selector, place)
        except ParseError as error:
            is_block = self._selector.text is not None or _quotations(error, shown(block))
            template, used = (self._block, block) if is_block else (self._selector, selector)
            raise placed(as_written(error, template, used), self._place) from error

    def _by_position(self, reading: GridReading, positional: Positional, block: str) -> RawValue:
        index: PositionalIndex | None = None

        def leaf_of(outer: tuple[int, ...]) -> Leaf:
            nonlocal index
            try:
                if index is None:
                    index = reading.index(block, positional.query)
                return index.leaf(outer)
            except ParseError as error:
                raise placed(error, self._place) from error

        positions = [(position, self._stand_ins.get(position)) for position in positional.positions]
        if len(positions) == 2 and positions[0][1] is not None and positions[1][1] is not None:
            return _TableValue(positions[0][1], positions[1][1], leaf_of)
        return _value([_getter(*position) for position in positions], leaf_of)


class _Opened(NamedTuple):
    """A text in which stand-ins replace all indexes, and the axis of each; no axes if it holds more."""

    text: str
    axes: dict[int, int]


def _opened(template: PlaceholderTemplate) -> _Opened:
    text, axes = "", dict[int, int]()
    for piece in template.pieces if template.text is None else ():
        if isinstance(piece, IndexOf):
            stand_in = _FIRST_STAND_IN + len(axes)
            axes[stand_in] = piece.axis
            text += str(stand_in)
        elif isinstance(piece, str) and str(_FIRST_STAND_IN)[:4] not in piece:
            text += piece
        else:
            return _Opened("", {})
    return _Opened(text, axes)


def _remembered(value: RawValue, axis: int) -> RawValue:
    """Reads a value that depends on no other axis' index only once for each."""
    known: dict[int, str | None] = {}

    def remembered(indexes: Sequence[int], values: Sequence[str | None]) -> str | None:
        at = indexes[axis]
        if at not in known:
            known[at] = value(indexes, values)
        return known[at]

    return remembered


class _TableValue:
    """Reads a cell by two indexes: most facts are read so, hence the short way."""

    def __init__(self, row_axis: int, cell_axis: int, leaf_of: Callable[[tuple[int, ...]], Leaf]) -> None:
        self.row_axis = row_axis
        self.cell_axis = cell_axis
        self.leaf_of = leaf_of
        self._rows: dict[int, Leaf] = {}

    def __call__(self, indexes: Sequence[int], _values: Sequence[str | None]) -> str | None:
        at = indexes[self.row_axis]
        row = self._rows.get(at)
        if row is None:
            row = self._rows[at] = self.leaf_of((at,))
        return row.get(indexes[self.cell_axis])


def _table_column(
    index: PositionalIndex, axes: Sequence[int | None], positions: Sequence[int], ranges: Sequence[range]
) -> list[str | None]:
    """The values for all indexes of a row's axis and a cell's axis; the later axis of the two varies fastest.

    Args:
        axes: the axes whose indexes are the row's and the cell's position, which differ; None where the
            selector has a number.
        positions: these numbers.
        ranges: of all axes of the template.
    Raises:
        ParseError: a query failed.
    """
    rows, cells = (
        range(position, position + 1) if axis is None else ranges[axis]
        for axis, position in zip(axes, positions, strict=True)
    )
    values = index.table(rows, cells)
    row_axis, cell_axis = axes
    if row_axis is not None and cell_axis is not None and cell_axis < row_axis:
        return list(chain.from_iterable(values[at :: len(cells)] for at in range(len(cells))))
    return values


def _value(
    positions: Sequence[Callable[[Sequence[int]], int]], leaf_of: Callable[[tuple[int, ...]], Leaf]
) -> RawValue:
    """Reads a value by any number of positions."""
    *outer, inner = positions
    leaves: dict[tuple[int, ...], Leaf] = {}

    def value(indexes: Sequence[int], _values: Sequence[str | None]) -> str | None:
        key = tuple([position(indexes) for position in outer])
        leaf = leaves.get(key)
        if leaf is None:
            leaf = leaves[key] = leaf_of(key)
        return leaf.get(inner(indexes))

    return value


def _getter(position: int, axis: int | None) -> Callable[[Sequence[int]], int]:
    """Reads a position from a row's indexes, or is it a number as written."""
    return itemgetter(axis) if axis is not None else lambda _indexes: position


@contextmanager
def located(place: Place) -> Iterator[None]:
    """Adds to an error raised inside the place of its cause in the definitions."""
    try:
        yield
    except (ParseError, ScriptError) as error:
        raise placed(error, place) from error


def placed(error: QueryFault, place: Place) -> QueryFault:
    """The error with its place in the definitions, unless it has one."""
    if error.at or not place.line:
        return error
    return type(error)(error.what, at=str(place), hint=error.hint, cause=error.cause)


def as_written(error: ParseError, template: PlaceholderTemplate, used: str) -> ParseError:
    """An error that names the text as it was used, now named as it is written too; grouped by the latter."""
    written, values, used = template.written, parts(used)[1::2], shown(used)
    if written == used:
        return error
    what, cause = f"selector '{written}' (here '{used}'): {error.what}", _QUOTED.sub("'…'", error.cause)
    cause = f"selector '{written}': {cause}"
    for quoted in _quotations(error, used):
        what = error.what.replace(quoted, f"'{written}' (here {quoted})", 1)
        cause = error.cause.replace(quoted, f"'{written}'", 1)
    for value in values:
        cause = cause.replace(f"'{value}'", "'…'").replace(f"'{value.lower()}'", "'…'")
    return ParseError(what, at=error.at, hint=error.hint, cause=_CHARACTER.sub("", cause))


def _quotations(error: ParseError, used: str) -> list[str]:
    """How the error quotes the text: at most one form."""
    return [quoted for quoted in (f"'{used}'", repr(used)) if quoted in error.what][:1]
