"""JsonLinesWriter and JsonArrayWriter: write records as JSON objects with the names of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

import msgspec

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.typed_values import typed_reader


class JsonLinesWriter:
    """Writes each record as a JSON object on a line of its own.

    Numbers are JSON numbers, and decimals keep all digits; a missing value is null.
    """

    def __init__(self, stream: IO[bytes], columns: Sequence[Column]) -> None:
        self._stream = stream
        self._names = [column.name for column in columns]
        decimals = [(place, each) for place, each in enumerate(columns) if each.type is ColumnType.DECIMAL]
        self._decimals = [(place, convert) for place, each in decimals if (convert := typed_reader(each))]
        self._encoder = msgspec.json.Encoder(decimal_format="number")

    def write(self, records: Sequence[Sequence[Any]]) -> None:
        """As `RecordWriter` says."""
        self._stream.write(self._encoder.encode_lines([self._object(record) for record in records]))

    def close(self) -> None:
        """See `RecordWriter`; nothing is buffered."""

    def _object(self, record: Sequence[Any]) -> dict[str, Any]:
        made = dict(zip(self._names, record, strict=True))
        for place, convert in self._decimals:
            name, value = self._names[place], record[place]
            made[name] = (
                value if value is None else (number if (number := convert(value)) is not None else value)
            )
        return made


class JsonArrayWriter(JsonLinesWriter):
    """Writes records as one JSON array, each object on a line of its own."""

    def __init__(self, stream: IO[bytes], columns: Sequence[Column]) -> None:
        super().__init__(stream, columns)
        self._stream.write(b"[")
        self._is_empty = True

    def write(self, records: Sequence[Sequence[Any]]) -> None:
        """As `RecordWriter` says."""
        if not records:
            return
        lines = [self._encoder.encode(self._object(record)) for record in records]
        self._stream.write((b"\n" if self._is_empty else b",\n") + b",\n".join(lines))
        self._is_empty = False

    def close(self) -> None:
        """Close the array."""
        self._stream.write(b"]\n" if self._is_empty else b"\n]\n")
