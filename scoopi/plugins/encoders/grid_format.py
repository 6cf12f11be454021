"""GridFormat: how the rows of a grid are written to their file, so that they can be read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import msgspec

from scoopi.model.data import Axis
from scoopi.plugins.encoders.csv_encoder import CsvEncoder
from scoopi.plugins.encoders.jsonl_encoder import JsonlEncoder
from scoopi.plugins.plugin_ports import Encoder

VALUES = "values"
"""The key of a JSON row that holds the values of its axes."""


class GridFormat(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the rows of a grid are written to their file.

    Attributes:
        columns: names of the columns; empty if tasks with different columns, or a plugin's encoder, write to
            the file, which then cannot be read back.
        delimiter: separates values; empty for lines of JSON.
        quote: as in `CsvEncoder`.
        header: whether the first line has the names.
    """

    columns: tuple[str, ...] = ()
    delimiter: str = ""
    quote: str = ""
    header: bool = False

    @classmethod
    def of(cls, encoder: Encoder, axes: tuple[Axis, ...]) -> GridFormat:
        """The format that an encoder writes for rows with these axes."""
        if isinstance(encoder, CsvEncoder):
            has_header = bool(encoder.header(axes))
            return cls(encoder.names(axes), encoder.delimiter, encoder.quote, has_header)
        return cls(encoder.names(axes)) if isinstance(encoder, JsonlEncoder) else cls()

    def merged(self, other: GridFormat) -> GridFormat:
        """The format of a file to which rows of both formats are written."""
        return self if self == other else GridFormat()

    def rows(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """The values of each row, one per column; null in JSON becomes an empty text.

        >>> list(GridFormat(("name", "group", "size"), "|", "none").rows(["oslo|bikes|7\\n"]))
        [['oslo', 'bikes', '7']]

        Raises:
            ValueError: a line is not such a row.
        """
        for number, row in enumerate(self._cells(lines)):
            if number == 0 and self.header:
                continue
            if len(row) != len(self.columns):
                raise ValueError(f"row {number + 1} has {len(row)} values, not {len(self.columns)}")
            yield row

    def _cells(self, lines: Iterable[str]) -> Iterator[list[str]]:
        if not self.delimiter:
            for line in lines:
                row = json.loads(line)
                values = {**row, **row[VALUES]}
                yield ["" if (value := values.get(name)) is None else str(value) for name in self.columns]
        elif self.quote == "none" or len(self.delimiter) > 1:
            yield from (line.rstrip("\r\n").split(self.delimiter) for line in lines)
        else:
            import csv  # late: workers load this module, but never read the files of a run

            yield from csv.reader(lines, delimiter=self.delimiter)
