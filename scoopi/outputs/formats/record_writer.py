"""RecordWriter: writes records to a stream in one format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import IO, Any, Protocol, cast

from scoopi.model.records import Column

_WRITERS = MappingProxyType(
    {
        "csv": "delimited_writer:CsvWriter",
        "tsv": "delimited_writer:TsvWriter",
        "jsonl": "json_writer:JsonLinesWriter",
        "json": "json_writer:JsonArrayWriter",
        "parquet": "parquet_writer:ParquetWriter",
        "xlsx": "xlsx_writer:XlsxWriter",
    }
)
"""Format -> the file in this folder, and the class in it, which is imported when it is needed."""
FORMATS = tuple(_WRITERS)


class RecordWriter(Protocol):
    """Writes records in one format to a stream that it neither opens nor closes.

    Its memory does not grow with the number of records.
    """

    def write(self, records: Sequence[Sequence[Any]]) -> None:
        """Add records, whose values are in their form in frames and in the order of the columns.

        Raises:
            OSError: the stream cannot be written.
        """

    def close(self) -> None:
        """Write what is buffered, and the end of the file."""


def record_writer(format_name: str, stream: IO[bytes], columns: Sequence[Column]) -> RecordWriter:
    """Create the writer of a format; this imports the format's library.

    Args:
        format_name: one of `FORMATS`.
    """
    module, _, name = _WRITERS[format_name].partition(":")
    made = getattr(import_module(f"scoopi.outputs.formats.{module}"), name)
    return cast("Callable[[IO[bytes], Sequence[Column]], RecordWriter]", made)(stream, columns)
