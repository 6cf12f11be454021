"""CsvWriter and TsvWriter: write records as lines of delimited values after a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import IO, Any

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.typed_values import json_text

_PLAIN = (ColumnType.TEXT, ColumnType.DECIMAL, ColumnType.DATE, ColumnType.DATETIME, ColumnType.INTEGER)
"""Types whose values the csv module writes correctly; a missing value is left empty."""


class CsvWriter:
    """Writes records as CSV (RFC 4180) in UTF-8, with line feeds as line breaks.

    Missing values are empty, lists are JSON, booleans are `true` and `false`.
    """

    delimiter = ","

    def __init__(self, stream: IO[bytes], columns: Sequence[Column]) -> None:
        self._stream = stream
        self._shown = [(place, shown) for place, each in enumerate(columns) if (shown := _shown(each))]
        self._text = io.StringIO(newline="")
        self._rows = csv.writer(self._text, delimiter=self.delimiter, lineterminator="\n")
        self._quoted = csv.writer(
            self._text, delimiter=self.delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL
        )
        self._rows.writerow([column.name for column in columns])
        self._stream.write(self._taken().encode())

    def write(self, records: Sequence[Sequence[Any]]) -> None:
        """As `RecordWriter` says."""
        if self._shown:
            records = [self._as_text(record) for record in records]
        self._rows.writerows(records)
        text = self._taken()
        if "\r" in text:  # csv only quotes values that contain its line terminator, a line feed
            for record in records:
                has_return = any(isinstance(value, str) and "\r" in value for value in record)
                (self._quoted if has_return else self._rows).writerow(record)
            text = self._taken()
        self._stream.write(text.encode())

    def close(self) -> None:
        """See `RecordWriter`; nothing is buffered."""

    def _as_text(self, record: Sequence[Any]) -> list[Any]:
        values = list(record)
        for place, shown in self._shown:
            values[place] = shown(values[place])
        return values

    def _taken(self) -> str:
        text = self._text.getvalue()
        self._text.seek(0)
        self._text.truncate()
        return text


class TsvWriter(CsvWriter):
    """Like CsvWriter, with tabs; a value with a tab, a quote or a line break is quoted."""

    delimiter = "\t"


def _shown(column: Column) -> Callable[[Any], Any] | None:
    if column.is_list or column.type is ColumnType.JSON:
        return json_text
    return None if column.type in _PLAIN else _plain


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
