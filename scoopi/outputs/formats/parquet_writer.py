"""ParquetWriter: writes records as row groups of typed columns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.typed_values import json_text, typed_reader

GROUP_ROWS = 50_000
"""Rows per row group, which are held in memory."""
PRECISION, SCALE = 38, 9
"""Digits of a decimal, in all and after the point: every reader supports them, and prices fit."""
WIDE_PRECISION, WIDE_SCALE = 76, 38
"""The same, of a column with a value that does not fit into these."""
_TYPES = {
    ColumnType.TEXT: pa.string(),
    ColumnType.INTEGER: pa.int64(),
    ColumnType.BOOLEAN: pa.bool_(),
    ColumnType.DATE: pa.date32(),
    ColumnType.DATETIME: pa.timestamp("us", tz="UTC"),
    ColumnType.JSON: pa.string(),
}


class ParquetWriter:
    """Writes records as row groups of typed columns.

    Numbers, dates and lists keep their types; a JSON value is stored as text; missing values are null.

    Decimals are `decimal128(38, 9)`. When a value does not fit, the column becomes `decimal256(76, 38)` and
    the rows written so far are converted, so that no digit is lost.
    """

    def __init__(self, stream: IO[bytes], columns: Sequence[Column]) -> None:
        self._stream = stream
        self._columns = columns
        self._converts = [_reader(column) for column in columns]
        self._wide = frozenset[str]()
        self._rows: list[Sequence[Any]] = []
        self._open()

    def write(self, records: Sequence[Sequence[Any]]) -> None:
        """As `RecordWriter` says."""
        self._rows += records
        if len(self._rows) >= GROUP_ROWS:
            self._flush()

    def close(self) -> None:
        """Write the last row group and the footer, and copy the file to the stream."""
        self._flush()
        self._writer.close()
        with self._file:
            self._file.seek(0)
            while chunk := self._file.read(1 << 20):
                self._stream.write(chunk)

    def _open(self) -> None:
        """Begin a file: a temporary one, as what is written may have to be converted."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the writer
        self._schema = pa.schema([(column.name, self._type(column)) for column in self._columns])
        self._writer = pq.ParquetWriter(self._file, self._schema, compression="zstd")

    def _type(self, column: Column) -> Any:
        kind = _TYPES.get(column.type) or _decimal(column.name in self._wide)
        return pa.list_(kind) if column.is_list and column.type is not ColumnType.JSON else kind

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        if not rows:
            return
        values = zip(*rows, strict=True)
        converted = [
            list(map(convert, each)) if convert is not None else list(each)
            for convert, each in zip(self._converts, values, strict=True)
        ]
        self._ensure_width(converted)
        arrays = [pa.array(each, field.type) for each, field in zip(converted, self._schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))

    def _ensure_width(self, values: Sequence[Sequence[Any]]) -> None:
        narrow = [
            (column.name, each)
            for column, each in zip(self._columns, values, strict=True)
            if column.type is ColumnType.DECIMAL and column.name not in self._wide
        ]
        if wide := {name for name, each in narrow if not all(map(_fits, each))}:
            self._widen(self._wide | wide)

    def _widen(self, wide: frozenset[str]) -> None:
        self._writer.close()
        self._wide, written = wide, self._file
        self._open()
        with written:
            for batch in pq.ParquetFile(written).iter_batches(GROUP_ROWS):
                self._writer.write_table(pa.Table.from_batches([batch]).cast(self._schema))


def _reader(column: Column) -> Callable[[Any], Any] | None:
    return json_text if column.type is ColumnType.JSON else typed_reader(column)


def _decimal(is_wide: bool) -> Any:
    return pa.decimal256(WIDE_PRECISION, WIDE_SCALE) if is_wide else pa.decimal128(PRECISION, SCALE)


def _fits(value: Decimal | list[Decimal | None] | None) -> bool:
    if value is None:
        return True
    if isinstance(value, list):
        return all(map(_fits, value))
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int), "infinite numbers are missing values"
    return exponent >= -SCALE and value.adjusted() < PRECISION - SCALE
