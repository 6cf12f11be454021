"""RowFile: a file with one row per page, whose columns give the values of a locator's placeholders.

Source: defs/README.md, 1.4.
"""

from __future__ import annotations

import io
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePath
from types import ModuleType
from typing import IO, Any, TypeVar, cast

from scoopi.errors import DefsError
from scoopi.model.text.json_text import read_json

ItemType = TypeVar("ItemType")
FileRow = tuple[str, ...]
NumberedRow = tuple[int, FileRow]
"""A row, or as the first one the names of the columns, with the number of the line on which it begins."""
STDIN = "stdin"
LINE_COLUMN = "url"
"""The only column of a text file."""
ROWS_AT_ONCE = 500
COMMENT = "#"
COMPRESSIONS = (".gz", ".zst")
_DELIMITERS = ",;\t|"
LONGEST_CELL = 1 << 24
"""The most characters of a cell in CSV; what is longer is a rest of the file behind an open quote."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_NOT_UTF8 = "save the file as UTF-8"


class RowFileError(DefsError):
    """Raised if a row, or the whole file, cannot be read.

    Attributes:
        line: the number of the line in the file, from 1; 0 for the whole file.
        column: where it is wrong in the line, from 1; 1 if that is not known.
    """

    def __init__(self, name: str, line: int, what: str, hint: str, column: int = 1) -> None:
        super().__init__(what, at=f"{name}:{line}" if line else name, hint=hint)
        self.line = line
        self.column = column


class RowFile:
    """A file with one row per page; each call reads the file again, row by row.

    `.csv` and `.tsv` begin with a header that names the columns; `.jsonl` and `.ndjson` have an object on
    each line, and the first one names the columns; `.txt` has an address on each line. Each may be
    compressed: `.csv.gz`, `.csv.zst`.

    Args:
        path: the path of a regular file.
        name: the name of the file in messages; its path by default. Its suffix selects the format.
        suffix: selects the format if the name has no suffix.
    """

    def __init__(self, path: Path, name: str = "", suffix: str = "") -> None:
        self._path = path
        self.name = name or str(path)
        self._read = _READERS[suffix or _suffix(self.name)]
        self._compression = path.suffix.lower()
        self._is_zstd = self._compression == ".zst"

    def columns(self) -> FileRow:
        """Return the names of the columns.

        Raises:
            RowFileError: the file has no columns, or they cannot be read.
        """
        _, columns = next(self._read(self.name, self.lines()))
        return columns

    def rows(self) -> Iterator[FileRow]:
        """Iterate over the rows; each has a cell per column, without leading and trailing blanks.

        Rows without any text are left out.

        Raises:
            RowFileError: a row cannot be read.
        """
        return (row for _, row in self.numbered_rows())

    def numbered_rows(self) -> Iterator[tuple[int, FileRow]]:
        """Iterate over pairs: the number of the line on which a row begins, from 1, and the row as in `rows`.

        Raises:
            RowFileError: a row cannot be read.
        """
        for line, row in islice(self._read(self.name, self.lines()), 1, None):
            if any(row):
                yield line, row

    def lines(self) -> Iterator[str]:
        """Iterate over the lines of the file, with their line ends.

        Raises:
            RowFileError: the file cannot be read.
        """
        try:
            with self.opened() as file:
                if file.read(2) in _UTF16:
                    raise RowFileError(self.name, 0, "the file is UTF-16", _NOT_UTF8)
            with io.TextIOWrapper(self.opened(), encoding="utf-8-sig", newline="") as text:
                yield from text
        except UnicodeDecodeError as error:
            raise RowFileError(
                self.name, self._first_line_not_utf8(), "this is not UTF-8", _NOT_UTF8
            ) from error
        except self.errors() as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise RowFileError(self.name, 0, f"cannot be read: {reason}", "look at the file") from None

    def opened(self) -> IO[bytes]:
        """Open the decompressed file.

        Raises:
            OSError: it cannot be opened.
        """
        if self._compression == ".gz":
            import gzip  # late: few files are compressed

            return cast("IO[bytes]", gzip.open(self._path))
        return cast("IO[bytes]", _zstd().open(self._path)) if self._is_zstd else self._path.open("rb")

    def errors(self) -> tuple[type[Exception], ...]:
        """Return the classes of exceptions that reading may raise, apart from UnicodeDecodeError."""
        known = (OSError, EOFError, zlib.error)
        return (*known, _zstd().ZstdError) if self._is_zstd else known

    def _first_line_not_utf8(self) -> int:
        """The number of the first line that is not UTF-8; the decoding error counts only within a chunk."""
        with self.opened() as file:
            for number, line in enumerate(file, 1):
                try:
                    line.decode()
                except UnicodeDecodeError:
                    return number
        return 0


def is_row_file(text: str) -> bool:
    """Whether a text names a row file, by a suffix such as `.csv` or `.txt.gz`, or standard input."""
    return _suffix(text) in _READERS


def is_stdin(text: str) -> bool:
    """Whether a text stands for standard input: `stdin`, or with a suffix, as `stdin.csv`."""
    return text == STDIN or (text.startswith(f"{STDIN}.") and text[len(STDIN) :] in _READERS)


def _suffix(name: str) -> str:
    """The suffix that selects the format, such as `.csv` for `shops.csv.gz`."""
    if name == STDIN:
        return ".txt"
    path = PurePath(name)
    plain = PurePath(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    return plain.suffix.lower()


def _zstd() -> ModuleType:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def in_portions(rows: Iterable[FileRow]) -> Iterator[tuple[FileRow, ...]]:
    """Group rows into batches of at most 500, so that memory does not grow with the file."""
    left = iter(rows)
    while portion := tuple(islice(left, ROWS_AT_ONCE)):
        yield portion


def until_fault(items: Iterable[ItemType]) -> Iterator[ItemType]:
    """Yield items up to the first row that cannot be read, which is reported elsewhere."""
    try:
        yield from items
    except RowFileError:
        return


def _csv_rows(name: str, text: Iterable[str]) -> Iterator[NumberedRow]:
    import csv  # late: workers import this module, but read no rows

    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))  # one limit for the whole process
    lines = iter(text)
    first = next(lines, "")
    delimiter = "\t" if _suffix(name) == ".tsv" else max(_DELIMITERS, key=first.count)
    reader = csv.reader(_chained(first, lines), delimiter=delimiter, strict=True)
    columns: FileRow = ()
    while True:
        began = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            if "field limit" not in str(error):
                raise RowFileError(name, began, f"this is not CSV: {error}", "look at its quotes") from None
            what = f"a cell has more than {csv.field_size_limit():,} characters"
            raise RowFileError(name, began, what, "close its quotes, or leave its column out") from None
        if cells is None:
            break
        row = tuple(cell.strip() for cell in cells)
        if not any(row):
            continue
        if not columns:
            columns = _ensured_columns(name, began, row)
            yield began, columns
        elif len(row) != len(columns):
            has = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            what = f"the row has {has}, but the header has {len(columns)}"
            raise RowFileError(name, began, what, f"separate {len(columns)} cells with {delimiter!r}")
        else:
            yield began, row
    if not columns:
        raise RowFileError(name, 0, "the file has no header", "begin it with the names of its columns")


def _chained(first: str, lines: Iterator[str]) -> Iterator[str]:
    yield first
    yield from lines


def _ensured_columns(name: str, line: int, columns: FileRow) -> FileRow:
    hint = "give each column a name of its own in the header"
    if "" in columns:
        raise RowFileError(name, line, f"column {columns.index('') + 1} has no name", hint)
    double = next((each for each in columns if columns.count(each) > 1), None)
    if double is not None:
        raise RowFileError(name, line, f"two columns are named {double}", hint)
    return columns


def _json_rows(name: str, text: Iterable[str]) -> Iterator[NumberedRow]:
    columns: FileRow = ()
    for number, line in enumerate(text, 1):
        if not line.strip():
            continue
        try:
            found = read_json(line, parse_int=str)  # Python bounds the digits of numbers
        except ValueError as error:
            what = f"this is not JSON: {getattr(error, 'msg', error)}"
            column = getattr(error, "colno", 1)
            raise RowFileError(name, number, what, "write one object in each line", column) from None
        if not isinstance(found, dict):
            raise RowFileError(
                name, number, "this is not an object", 'write { "url": "https://…" } in each line'
            )
        if not columns:
            columns = _ensured_columns(name, number, tuple(key.strip() for key in found))
            yield number, columns
        cells = {key.strip(): _cell(name, number, key, value) for key, value in found.items()}
        yield number, tuple(cells.get(key, "") for key in columns)
    if not columns:
        raise RowFileError(name, 0, "the file has no rows", 'write { "url": "https://…" } in each line')


def _cell(name: str, line: int, key: str, value: Any) -> str:
    if isinstance(value, (dict, list)):
        raise RowFileError(name, line, f"{key} is not a single value", "write a text or a number")
    if not isinstance(value, str):
        return "" if value is None else json.dumps(value)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = f"{error.object[error.start]!a}"
        what = f"{key} has half of a surrogate pair, {half}, which is not a character"
        raise RowFileError(name, line, what, "write the character itself, or both halves") from None
    return value.strip()


def _text_rows(_: str, text: Iterable[str]) -> Iterator[NumberedRow]:
    yield 0, (LINE_COLUMN,)
    for number, line in enumerate(text, 1):
        address = line.strip()
        if not address.startswith(COMMENT):
            yield number, (address,)


_READERS: dict[str, Callable[[str, Iterable[str]], Iterator[NumberedRow]]] = {
    ".csv": _csv_rows,
    ".tsv": _csv_rows,
    ".jsonl": _json_rows,
    ".ndjson": _json_rows,
    ".txt": _text_rows,
}
SUFFIXES = tuple(_READERS)
