"""written_rows: reads the records of a file that a RecordWriter has written, as texts."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import IO, Any

import msgspec

from scoopi.model.decoders import json_decoder

ROWS_AT_ONCE = 1000
_AS_JSON = msgspec.json.Encoder(decimal_format="number").encode
WrittenLines = Iterator[Sequence[str]]


def written_rows(format_name: str, file: IO[bytes]) -> WrittenLines:
    """Yield the names of the columns, then the values of each record as in CSV; a missing one is empty.

    Parquet is read in batches, JSON line by line. The texts of a workbook are held in memory, because Excel
    stores them apart from the rows. A JSON file without records yields nothing, as it does not name its
    columns.

    Args:
        format_name: one of READABLE.
        file: must be seekable if the format is one of SEEKABLE.
    Raises:
        ValueError: the file is not one that a RecordWriter has written; the message says where.
    """
    return _READERS[format_name](file)


def _json_rows(file: IO[bytes]) -> WrittenLines:
    decoder = json_decoder(dict[str, Any], Decimal)
    columns: Sequence[str] = ()
    for number, line in enumerate(file, 1):
        text = line.strip().removesuffix(b",")
        if text in (b"", b"[", b"]", b"[]"):
            continue
        try:
            record = decoder.decode(text)
        except msgspec.DecodeError as error:
            raise ValueError(f"line {number}: {error}") from None
        if not columns:
            columns = [*record]
            yield columns
        elif [*record] != columns:
            raise ValueError(f"line {number} has other keys than the first record")
        yield [_text(value) for value in record.values()]


def _parquet_rows(file: IO[bytes]) -> WrittenLines:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
        yield table.schema_arrow.names
        for batch in table.iter_batches(ROWS_AT_ONCE):
            columns = (column.to_pylist() for column in batch.columns)
            yield from ([_parquet_text(value) for value in row] for row in zip(*columns, strict=True))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(str(error).strip().splitlines()[0]) from None


def _parquet_text(value: Any) -> str:
    """A decimal has the number of places of its column; trailing zeros are dropped."""
    text = _text(value)
    return text.rstrip("0").rstrip(".") if isinstance(value, Decimal) and "." in text else text


def _xlsx_rows(file: IO[bytes]) -> WrittenLines:
    from zipfile import BadZipFile

    from openpyxl import load_workbook

    columns: list[str] = []
    try:
        for sheet in load_workbook(file, read_only=True).worksheets:
            rows = sheet.iter_rows()
            names = [_text(cell.value) for cell in next(rows, ())]
            if not columns:
                columns = names
                yield columns
            if names != columns:
                raise ValueError(f"the sheet {sheet.title} has other columns than the first")
            for row in rows:
                values = [_excel_text(cell) for cell in row]
                yield values + [""] * (len(columns) - len(values))
    except (BadZipFile, KeyError, OSError, SyntaxError, zlib.error) as error:
        raise ValueError(str(error)) from None


def _excel_text(cell: Any) -> str:
    """A workbook stores a date as midnight of that date; the number format distinguishes the two."""
    value = cell.value
    if isinstance(value, datetime):
        return f"{value.isoformat()}+00:00" if "h" in cell.number_format.lower() else str(value.date())
    return _text(int(value) if isinstance(value, float) and value.is_integer() else value)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.isoformat() if isinstance(value, date) else _AS_JSON(value).decode()


_READERS: MappingProxyType[str, Callable[[IO[bytes]], WrittenLines]] = MappingProxyType(
    {"jsonl": _json_rows, "json": _json_rows, "parquet": _parquet_rows, "xlsx": _xlsx_rows}
)
READABLE = tuple(_READERS)
"""Formats that are read here; CSV and TSV are read like any other delimited file."""
SEEKABLE = ("parquet", "xlsx")
"""Formats whose files must be seekable."""
