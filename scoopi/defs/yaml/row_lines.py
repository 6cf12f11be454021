"""RowLines: lines of a long list in a definition file that differ in their texts only, such as locators.

The YAML library makes an event of each name and of each text. Here one regular expression reads a line.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import msgspec

LEAST_LINES = 100
"""Shorter lists are left to the YAML library."""
_BEGIN = r" *- +\{ *"
_NAME = r"[A-Za-z_][A-Za-z0-9_-]{0,63}"
_PLAIN = r"[A-Za-z0-9/_](?:[A-Za-z0-9_./&=+;@~%-]|:(?=[A-Za-z0-9_/]))*"
"""A text without quotes, of characters that mean the same in every version of YAML."""
_QUOTED = r"(?![-0-9ntfNTF~])[ !#-\[\]-~]+"
"""A text between double quotes: without escapes, and not a number, a boolean or null without its quotes."""
_ENTRY = rf'{_NAME}: (?:"{_QUOTED}"|{_PLAIN})'
_ENTRIES = rf'({_NAME}): (?:("){_QUOTED}"|{_PLAIN})'
_END = r" *\} *\n"


class LineForm(msgspec.Struct, frozen=True, gc=False):
    """What lines have in common: `- { name: …, url: "…" }`.

    Attributes:
        begin: all before the first name.
        names: the names of each line's table.
        columns: of each text, from 1, if the texts before it were empty.
        one: matches a line, with a group for each text.
        many: matches the lines of a list.
    """

    begin: str
    names: tuple[str, ...]
    columns: tuple[int, ...]
    one: re.Pattern[str]
    many: re.Pattern[str]

    @property
    def column(self) -> int:
        """The column of each table, from 1."""
        return self.begin.index("{") + 1


class LineRow(msgspec.Struct, frozen=True, gc=False):
    """One line: a table of texts; see `FlatRow`."""

    names: tuple[str, ...]
    texts: tuple[str, ...]
    line: int
    form: LineForm

    @property
    def marks(self) -> tuple[int, ...]:
        """See `FlatRow`."""
        marks = [self.line, self.form.column]
        for at, name in enumerate(self.names):
            line, column = self.mark(at)
            marks += (line, column - len(name) - 2, line, column)
        return tuple(marks)

    def mark(self, at: int) -> tuple[int, int]:
        """See `FlatRow`."""
        return self.line, self.form.columns[at] + sum(map(len, self.texts[:at]))


class RowLines(NamedTuple):
    """Successive lines of one form.

    Attributes:
        text: of the file.
        start, end: where the lines are in the text.
        line: number of the first one, from 1.
        number: how many lines there are.
    """

    form: LineForm
    text: str
    start: int
    end: int
    line: int
    number: int

    def rows(self) -> Iterator[LineRow]:
        """The tables of all lines."""
        form, names = self.form, self.form.names
        for line, found in enumerate(form.one.finditer(self.text, self.start, self.end), self.line):
            yield LineRow(names, found.groups(), line, form)

    def holds(self, text: str) -> bool:
        """Whether any line contains the text."""
        return self.text.find(text, self.start, self.end) >= 0

    def parted(self) -> tuple[LineRow, RowLines]:
        """The first row, and the further lines."""
        first = self.form.one.match(self.text, self.start)
        assert first is not None, "the lines have this form"
        further = RowLines(self.form, self.text, first.end(), self.end, self.line + 1, self.number - 1)
        return LineRow(self.form.names, first.groups(), self.line, self.form), further


class CutText(NamedTuple):
    """A text with only the first line of each long list; the others are blank.

    The parser of the text must find the table of that first line as an entry of a list: only then are the
    other lines entries of this list, too. Otherwise they might be a part of a text in several lines.

    Attributes:
        lists: all lines of each list, by line and column of its first table, both from 0 as in the library.
    """

    text: str
    lists: dict[tuple[int, int], RowLines]


def cut_rows(text: str) -> CutText:
    """Take the long lists of similar lines out of a text."""
    lists: dict[tuple[int, int], RowLines] = {}
    if text.count("\n") <= LEAST_LINES:
        return CutText(text, lists)
    kept: list[str] = []
    at = copied = line = 0
    while first := _first_line().search(text, at):
        start = first.start()
        form = _form(first[1], tuple(re.findall(_ENTRIES, first[0])))
        lines = form.many.match(text, start)
        end = first.end() if lines is None else lines.end()
        line += text.count("\n", at, start)
        count, at = text.count("\n", start, end), end
        if count >= LEAST_LINES:
            lists[line, form.column - 1] = RowLines(form, text, start, end, line + 1, count)
            kept += (text[copied : first.end()], "\n" * (count - 1))
            copied = end
        line += count
    return CutText("".join((*kept, text[copied:])), lists)


@cache
def _first_line() -> re.Pattern[str]:
    """What may be the first line of a long list; compiled for the first file that is long enough."""
    return re.compile(rf"^({_BEGIN}){_ENTRY}(?:, {_ENTRY})*{_END}", re.MULTILINE)


@lru_cache(maxsize=64)
def _form(begin: str, entries: tuple[tuple[str, str], ...]) -> LineForm:
    def line(group: str) -> str:
        texts = (f"{name}: {quote}({group}{_QUOTED if quote else _PLAIN}){quote}" for name, quote in entries)
        return re.escape(begin) + ", ".join(texts) + _END

    columns, column = list[int](), len(begin) + 1
    for name, quote in entries:
        columns.append(column + len(name) + 2)
        column = columns[-1] + 2 * len(quote) + 2
    names = tuple(sys.intern(name) for name, _ in entries)
    return LineForm(begin, names, tuple(columns), re.compile(line("")), re.compile(f"(?:{line('?:')})++"))
