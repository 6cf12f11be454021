"""CsvEncoder: rows as lines of delimited values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Literal

from scoopi.errors import EncodeError, PluginError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Locator
from scoopi.plugins.encoders.row_texts import SCRIPTS_HINT, ensure_texts

Quote = Literal["none", "minimal", "all"]
_values_of = itemgetter(1)  # `Item.values`; takes a third of a comprehension's time for thousands of rows


class CsvEncoder:
    """Writes rows as lines of delimited values.

    One line a row: locator name, task group, [page, 1, 1,] and the values of its axes; UTF-8.

    Args:
        delimiter: separates values; one or more characters.
        include_tags: whether page, index and item follow the task group.
        header: whether a file begins with the names of its columns.
        missing: written for an item or dim without a value; defaults to `scoopi.missing.replaceWith`.
        quote: `minimal` quotes a value that contains the delimiter or a line break, begins with a quote, or
            ends like the beginning of the delimiter; `all` quotes every value; `none` writes raw lines.
    Raises:
        PluginError: the delimiter is empty, or contains a quote or a line break though values are quoted.
    Source: defs/README.md, 5.2.
    """

    def __init__(
        self,
        delimiter: str = ",",
        include_tags: bool = False,
        header: bool = False,
        quote: Quote = "minimal",
        missing: str = "null",
    ) -> None:
        if not delimiter:
            raise PluginError("delimiter is empty", hint='give one, as in delimiter: "|"')
        if quote != "none" and any(letter in '"\r\n' for letter in delimiter):
            raise PluginError(
                f"delimiter {delimiter!r} contains a quote or a line break",
                hint='use another one, or write raw lines with quote: "none"',
            )
        self.delimiter = delimiter
        self.quote: Quote = quote
        self._include_tags = include_tags
        self._header = header
        self._missing = missing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CsvEncoder) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def encode(self, data: Data, locator: Locator, page: int) -> bytes:
        """Encode all rows as lines, each terminated by a line feed.

        Raises:
            EncodeError: a value is not a text, or contains half of a surrogate pair.
        """
        if not data.items:
            return b""
        tags = (str(page), "1", "1") if self._include_tags else ()
        cells = (locator.name, locator.group, *tags)
        try:
            lead = self._quoted(self.delimiter.join(cells), cells) + self.delimiter
            body = f"\n{lead}".join(self._lines(data.items))
            return f"{lead}{body}\n".encode()
        except (TypeError, AttributeError, UnicodeEncodeError) as error:
            ensure_texts(data.items)
            raise EncodeError(f"a row cannot be written: {error}", hint=SCRIPTS_HINT) from error

    def header(self, axes: tuple[Axis, ...]) -> bytes:
        """The line of column names; empty without `header: true`."""
        return f"{self._line(self.names(axes))}\n".encode() if self._header else b""

    def names(self, axes: tuple[Axis, ...]) -> tuple[str, ...]:
        """The names of the columns."""
        tags = ("page", "index", "item") if self._include_tags else ()
        return ("name", "group", *tags, *(axis.item_name for axis in axes))

    def _lines(self, items: Sequence[Item]) -> list[str]:
        """One line of values per item; all are joined first, then checked together for what needs quotes."""
        join = self.delimiter.join
        try:
            lines = list(map(join, map(_values_of, items)))  # None: TypeError
        except TypeError:
            missing = self._missing
            lines = [join([missing if value is None else value for value in item[1]]) for item in items]
        if self.quote == "none":
            return lines
        values = sum(map(len, map(_values_of, items)))
        if self._is_plain("\n".join(lines), values - len(items), len(items) - 1):
            return lines
        return [self._quoted(line, item[1]) for line, item in zip(lines, items, strict=True)]

    def _quoted(self, line: str, values: Sequence[str | None]) -> str:
        """Return joined values as they are, or joined again with quotes if some of them need quotes."""
        is_plain = self.quote == "none" or self._is_plain(line, len(values) - 1, 0)
        return line if is_plain else self._line(values)

    def _is_plain(self, text: str, delimiters: int, line_feeds: int) -> bool:
        """Whether joined values need no quotes.

        Args:
            text: the joined values of one or more rows.
            delimiters: how many delimiters join them; a further one is part of a value.
            line_feeds: how many line feeds join the rows.
        """
        return (
            self.quote == "minimal"
            and len(self.delimiter) == 1
            and '"' not in text
            and "\r" not in text
            and text.count("\n") == line_feeds
            and text.count(self.delimiter) == delimiters
        )

    def _line(self, values: Iterable[str | None]) -> str:
        return self.delimiter.join(
            [self._cell(self._missing if value is None else value) for value in values]
        )

    def _cell(self, value: str) -> str:
        if self.quote == "none":
            return value
        if (
            self.quote == "all"
            or value.startswith('"')
            or self.delimiter in value + self.delimiter[:-1]  # `a:` before `::` would be read as `a`, `:…`
            or "\n" in value
            or "\r" in value
        ):
            return '"' + value.replace('"', '""') + '"'
        return value
