"""RecordSchema: the columns of the records of one data definition, with the types of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import msgspec

from scoopi.model.decoders import msgpack_decoder
from scoopi.model.locator import Link
from scoopi.model.place import NOWHERE, Place
from scoopi.model.records.row_blocks import as_block, read_blocks

_ROWS = msgpack_decoder(list[list[Any]])

Value = Any
"""The value of one field: str, int, bool, None, a list of these, or any JSON value (dict, list, float).

Decimals, dates and date-times are strings: `12.50`, `2026-03-01`, `2026-03-01T08:00:00+01:00`.
"""
RecordRow = tuple[Value, ...]


class ColumnType(StrEnum):
    """The type of the values of a column."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    """An exact decimal as text, such as `12.50`."""
    BOOLEAN = "boolean"
    DATE = "date"
    """ISO 8601, such as `2026-03-01`."""
    DATETIME = "datetime"
    """ISO 8601 with seconds, and with the UTC offset if it is known."""
    JSON = "json"
    """Any JSON value."""


class Column(msgspec.Struct, frozen=True):
    """One column; if `is_list`, its values are lists of its type.

    Attributes:
        place: where the field is defined.
        is_file: whether its values are paths of downloaded files.
    """

    name: str
    type: ColumnType = ColumnType.TEXT
    is_list: bool = False
    place: Place = NOWHERE
    is_file: bool = False


META_COLUMNS: Mapping[str, Column] = MappingProxyType(
    {
        "locator": Column("locator"),
        "group": Column("group"),
        "page": Column("page"),
        "fetchedAt": Column("fetchedAt", ColumnType.DATETIME),
    }
)
"""The columns that `meta` may add: the names of locator and group, the page's address, its load time."""


CHANGE_COLUMN = Column("change")
"""The last column of an output with only the changes: `new`, `changed` or `gone`."""


class Expectation(msgspec.Struct, frozen=True):
    """One condition of `expect` on the records of a run.

    Attributes:
        subject: `records` for the number of records, or else the name of a field.
        least: the least number of records, or of records with a value of the field; or the least share of
            these, from 0 to 1.
        most: the upper bound, likewise; None for none.
        is_share: whether the bounds are shares.
        text: the condition as written.
    """

    subject: str
    least: float
    most: float | None = None
    is_share: bool = False
    text: str = ""
    place: Place = NOWHERE


class RecordSchema(msgspec.Struct, frozen=True):
    """The columns of the records of one data definition, with the types of their values.

    Attributes:
        name: the name of the data definition.
        columns: the columns of the fields, in the order of their definition.
        key: the names of the columns that identify a record; empty for none.
        expect: the conditions on the records of a run.
        meta: the columns before those of the fields, in the order of `meta`.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    expect: tuple[Expectation, ...] = ()
    meta: tuple[Column, ...] = ()

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """All columns of a row, in order: the meta columns, then those of the fields."""
        return (*self.meta, *self.columns)


def with_change(schema: RecordSchema) -> RecordSchema:
    """Return the schema of an output with only the changes: `schema` and CHANGE_COLUMN."""
    return msgspec.structs.replace(schema, columns=(*schema.columns, CHANGE_COLUMN))


class Rejection(msgspec.Struct, frozen=True):
    """A record that is rejected instead of written.

    Attributes:
        reason: why, in one sentence.
        field: the name of the field that caused it.
        url: the page's address.
        at: `file:line:column` of that field in the definitions.
        record: the values by column, as far as they were read.
    """

    reason: str
    field: str
    url: str
    at: str
    record: dict[str, Value]


class Records(msgspec.Struct, frozen=True):
    """What one data definition reads from one page.

    Attributes:
        data_def: the name of the data definition.
        rows: of each record, the values of `RecordSchema.all_columns`.
        rejections: the rejected records.
        links: the links in the values of fields.
        finds: the counters of what was found, by name (`model/report/counter_names.py`).
    """

    data_def: str
    rows: tuple[RecordRow, ...]
    rejections: tuple[Rejection, ...] = ()
    links: tuple[Link, ...] = ()
    finds: dict[str, float] = {}


def packed_rows(rows: Sequence[RecordRow]) -> bytes:
    """Return the rows of a page as one block: its length (4 bytes, big-endian), then msgpack; or else b"".

    >>> list(read_records(packed_rows([("Rye", "4.20")]) + packed_rows([("Oat", None)])))
    [['Rye', '4.20'], ['Oat', None]]
    """
    if not rows:
        return b""
    return as_block(msgspec.msgpack.encode(rows))


def read_records(body: bytes) -> Iterator[list[Value]]:
    """Yield the rows of concatenated blocks, as written by `packed_rows`."""
    for block in read_blocks(body):
        yield from _ROWS.decode(block)
