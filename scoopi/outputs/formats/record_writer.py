"""RecordWriter: writes records to a stream in one format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import IO, Any, Protocol, cast

from scoopi.model.records import Column

_CLASSES = MappingProxyType(
    {
        "csv": "delimited_writer:CsvWriter",
        "tsv": "delimited_writer:TsvWriter",
        "jsonl": "json_writer:JsonLinesWriter",
        "json": "json_writer:JsonArrayWriter",
        "parquet": "parquet_writer:ParquetWriter",
        "xlsx": "xlsx_writer:XlsxWriter",
    }
)


class RecordWriter(Protocol):
    """Writes records in one format to a stream that it neither opens nor closes.

    Memory does not grow with the records.
    """

    def write(self, records: Sequence[Sequence[Any]]) -> None:
        """Add records: values as in frames, in the order of the columns.

        Raises:
            OSError: the stream cannot be written.
        """

    def close(self) -> None:
        """Write what is buffered, and the end of the file."""


def record_writer(format_name: str, stream: IO[bytes], columns: Sequence[Column]) -> RecordWriter:
    """Create the writer of a format; this loads the format's library."""
    module, _, name = _CLASSES[format_name].partition(":")
    made = getattr(import_module(f"scoopi.outputs.formats.{module}"), name)
    return cast("Callable[[IO[bytes], Sequence[Column]], RecordWriter]", made)(stream, columns)
