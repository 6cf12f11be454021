"""RecordSchema: the columns of the records of one data definition, and what their values are."""

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
"""Of one field: str, int, bool, None, a list of these, or what JSON has (dict, list, float).

Decimals, dates and date-times are texts: `12.50`, `2026-03-01`, `2026-03-01T08:00:00+01:00`.
"""
Row = tuple[Value, ...]


class ColumnType(StrEnum):
    """What the values of a column are."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    """An exact text, as in `12.50`."""
    BOOLEAN = "boolean"
    DATE = "date"
    """ISO 8601, as in `2026-03-01`."""
    DATETIME = "datetime"
    """ISO 8601 with seconds, and with an offset where it is known."""
    JSON = "json"
    """Any value of JSON."""


class Column(msgspec.Struct, frozen=True):
    """One column; with `is_list` its values are lists of that type.

    Attributes:
        is_file: its values are paths of downloaded files.
        place: where the field is defined.
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
"""What `meta` may put before the fields: names of locator and group, the page's address, its load time."""


CHANGE_COLUMN = Column("change")
"""The last column where only changes are written: `new`, `changed` or `gone`."""


class Expectation(msgspec.Struct, frozen=True):
    """What `expect` demands of the records of a run.

    Attributes:
        subject: `records` for their number, else the name of the field whose share is meant.
        least: the smallest number, or the smallest share (from 0 to 1) of records with a value.
        most: the largest one; None without a bound.
        is_share: whether the bounds are shares.
        text: as written.
    """

    subject: str
    least: float
    most: float | None = None
    is_share: bool = False
    text: str = ""
    place: Place = NOWHERE


class RecordSchema(msgspec.Struct, frozen=True):
    """The columns of the records of one data definition, and what their values are.

    Attributes:
        name: of the data definition.
        columns: of the fields, in the order of their definition.
        key: names of the columns that identify a record; empty for none.
        expect: what is demanded of the records of a run.
        meta: columns before those of the fields, in the order of `meta`.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    expect: tuple[Expectation, ...] = ()
    meta: tuple[Column, ...] = ()

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """The columns of a row, in order: meta columns, then fields."""
        return (*self.meta, *self.columns)


def with_change(schema: RecordSchema) -> RecordSchema:
    """The columns where only changes are written."""
    return msgspec.structs.replace(schema, columns=(*schema.columns, CHANGE_COLUMN))


class Rejection(msgspec.Struct, frozen=True):
    """A record that is not written.

    Attributes:
        reason: why, in one sentence.
        field: the name of the field that decided.
        url: the page's address.
        at: `file:line:column` of that field in the definitions.
        record: values by column, as far as they were read.
    """

    reason: str
    field: str
    url: str
    at: str
    record: dict[str, Value]


class Records(msgspec.Struct, frozen=True):
    """What one data definition reads from one page.

    Attributes:
        data_def: its name.
        rows: of each record the values of `RecordSchema.all_columns`.
        rejections: elements that gave no record.
        links: pages that fields lead to.
        finds: counters of what was found, by name (`model/report/finds.py`).
    """

    data_def: str
    rows: tuple[Row, ...]
    rejections: tuple[Rejection, ...] = ()
    links: tuple[Link, ...] = ()
    finds: dict[str, float] = {}


def packed_rows(rows: Sequence[Row]) -> bytes:
    """The rows of a page as one block: its length (4 bytes, big endian), then msgpack; empty without rows.

    >>> list(read_records(packed_rows([("Rye", "4.20")]) + packed_rows([("Oat", None)])))
    [['Rye', '4.20'], ['Oat', None]]
    """
    if not rows:
        return b""
    return as_block(msgspec.msgpack.encode(rows))


def read_records(body: bytes) -> Iterator[list[Value]]:
    """The rows of blocks that stand one behind the other."""
    for block in read_blocks(body):
        yield from _ROWS.decode(block)
