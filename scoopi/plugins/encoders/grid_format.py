"""GridFormat: how the rows of a grid are written to their file, so that they can be read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from scoopi.model.data import Axis
from scoopi.model.text.json_text import read_json
from scoopi.plugins.encoders.csv_encoder import CsvEncoder
from scoopi.plugins.encoders.jsonl_encoder import JsonlEncoder
from scoopi.plugins.plugin_ports import Encoder

VALUES = "values"
"""The key of a JSON row that holds the values of its axes."""
_SHOWN = 40
"""Number of characters of a faulty value that are shown in a message."""
_CLOSING = re.compile(r'(?<!")(?:"")*"(?!")')
"""The quote that ends a value, with the doubled quotes before it, which belong to the value."""


class GridFormat(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the rows of a grid are written to their file.

    Attributes:
        columns: names of the columns; empty if the file cannot be read back, because a plugin's encoder
            writes to it, or tasks whose formats differ.
        delimiter: separates values; empty for lines of JSON.
        quote: as in `CsvEncoder`; empty for lines of JSON.
        header: whether the first line has the names.
    """

    columns: tuple[str, ...] = ()
    delimiter: str = ""
    quote: str = ""
    header: bool = False

    @classmethod
    def of(cls, encoder: Encoder, axes: tuple[Axis, ...]) -> GridFormat:
        """Return the format in which an encoder writes rows with these axes."""
        if isinstance(encoder, CsvEncoder):
            has_header = bool(encoder.header(axes))
            return cls(encoder.names(axes), encoder.delimiter, encoder.quote, has_header)
        return cls(encoder.names(axes)) if isinstance(encoder, JsonlEncoder) else cls()

    def merged(self, other: GridFormat) -> GridFormat:
        """Return the format of a file to which rows of both formats are written."""
        return self if self == other else GridFormat()

    def rows(self, lines: Iterable[str]) -> Iterator[list[str]]:
        r"""Iterate over the rows of a file, without its header; null in JSON is read as an empty text.

        >>> list(GridFormat(("name", "group", "size"), "|", "none").rows(["oslo|bikes|7\n"]))
        [['oslo', 'bikes', '7']]

        Args:
            lines: the lines of the file, with their line ends; a quoted value may extend over several.
        Returns:
            The values of each row, one per column.
        Raises:
            ValueError: a row is not in this format.
        """
        for number, row in enumerate(self._cells(lines), 1):
            if number == 1 and self.header:
                continue
            if len(row) != len(self.columns):
                raise ValueError(f"row {number} has {len(row)} values, not {len(self.columns)}")
            yield row

    def _cells(self, lines: Iterable[str]) -> Iterator[list[str]]:
        if not self.delimiter:
            return (_json_cells(number, line) for number, line in enumerate(lines, 1))
        if self.quote == "none":
            return (self._split(line) for line in lines)
        return self._quoted_cells(iter(lines))

    def _split(self, line: str) -> list[str]:
        return line.removesuffix("\n").split(self.delimiter)

    def _quoted_cells(self, lines: Iterator[str]) -> Iterator[list[str]]:
        """Read rows with quoted values; `csv` bounds their length, and has no delimiter of two characters."""
        for line in lines:
            yield self._split(line) if '"' not in line else self._unquoted_row(line, lines)

    def _unquoted_row(self, line: str, further: Iterator[str]) -> list[str]:
        row, rest, separator = [], line, self.delimiter
        while separator:
            is_quoted = rest.startswith('"')
            cell, rest = _unquoted(rest[1:], further) if is_quoted else ("", rest)
            plain, separator, rest = rest.partition(self.delimiter)
            plain = plain if separator else plain.removesuffix("\n")
            if is_quoted and plain:
                raise ValueError(f"{plain[:_SHOWN]!r} follows a quoted value")
            row.append(cell + plain)
        return row


def _json_cells(number: int, line: str) -> list[str]:
    """Return the values of an object by position, since rows of several items or facts have different keys.

    Raises:
        ValueError: the line is not such an object.
    """
    row = read_json(line)
    values = row.pop(VALUES, None) if isinstance(row, dict) else None
    if not isinstance(values, dict):
        raise ValueError(f"row {number} is not an object with the key {VALUES}")
    return ["" if cell is None else str(cell) for cell in (*row.values(), *values.values())]


def _unquoted(text: str, further: Iterator[str]) -> tuple[str, str]:
    """A quoted value that begins in a line, and the rest of the line in which it ends.

    Args:
        text: the line after the opening quote.
        further: the lines after it.
    Raises:
        ValueError: the value has no closing quote.
    """
    pieces = []
    while (end := _CLOSING.search(text)) is None:
        pieces.append(text)
        text = next(further, "")
        if not text:
            raise ValueError("a quoted value does not end")
    pieces.append(text[: end.end() - 1])
    return "".join(pieces).replace('""', '"'), text[end.end() :]
