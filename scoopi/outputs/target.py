"""Target: where an output of a task goes, as an entry of `output:` names it."""

from __future__ import annotations

import posixpath
import re
from enum import StrEnum
from urllib.parse import urlsplit

import msgspec

from scoopi.errors import DefsError
from scoopi.model.text.output_path import output_path
from scoopi.model.text.shown import nearest, without_credentials
from scoopi.outputs.formats.record_writer import FORMATS

COMPRESSIONS = (".gz", ".zst")
STDOUT = "-"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_OTHER_DATABASES = ("mysql", "mariadb", "mssql", "oracle", "mongodb", "duckdb", "redis", "snowflake")
_SQLITE, _POSTGRES = "sqlite", ("postgresql", "postgres")
_TABLE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)?")
_LONGEST_TABLE_BYTES = 58
"""PostgreSQL truncates names to 63 bytes, and a table that is held back has the suffix `.held`."""
_ENVIRONMENT = "remove it, and put it into the environment (PGPASSWORD) or ~/.pgpass"


class TargetKind(StrEnum):
    """The kinds of outputs, which differ in what is written and when it can be read."""

    FILE = "file"
    """A file in the run's folder, which appears at the end of the run."""
    STDOUT = "stdout"
    """Standard output, written at the end of the run."""
    REMOTE = "remote"
    """An object in a store that fsspec knows, uploaded at the end of the run."""
    SQLITE = "sqlite"
    """A table in a file, filled during the run."""
    POSTGRESQL = "postgresql"
    """A table on a server, filled during the run."""


class Target(msgspec.Struct, frozen=True):
    """Where an output of a task goes, as an entry of `output:` names it.

    Attributes:
        name: its name in reports; the same for all spellings of the entry.
        path: of a file, relative to the run's folder; of a SQLite file, as written; otherwise the URL
            without the table.
        format: one of FORMATS; empty for a database.
        table: with its schema if it has one; empty without a database.
    """

    kind: TargetKind
    name: str
    path: str = ""
    format: str = ""
    table: str = ""

    @property
    def is_database(self) -> bool:
        """Whether it is a table, whose rows can be read during the run."""
        return self.kind in (TargetKind.SQLITE, TargetKind.POSTGRESQL)

    @property
    def rejected(self) -> str:
        """The path of the file of rejected records, relative to the run's folder.

        >>> parse_target("sqlite:books.db#specs").rejected
        'specs.rejected.jsonl'
        """
        base = {TargetKind.FILE: self.path, TargetKind.STDOUT: "stdout"}.get(self.kind)
        return f"{base or self.table or posixpath.basename(self.path)}.rejected.jsonl"


def parse_target(text: str) -> Target:
    """Parse an entry of `output:`.

    >>> parse_target("books.csv.gz").format
    'csv'
    >>> parse_target("sqlite:books.db#specs").table
    'specs'

    Raises:
        DefsError: the entry is invalid; the hint has a valid one.
    """
    text = text.strip()
    if text == STDOUT:
        return Target(TargetKind.STDOUT, STDOUT, format="jsonl")
    found = _SCHEME.match(text)
    scheme = found[1].lower() if found else ""
    if scheme == _SQLITE:
        return _sqlite(text)
    if scheme in _POSTGRES:
        return _postgresql(text)
    if scheme in _OTHER_DATABASES:
        hint = "write a file that it imports, or use postgresql://…#table or sqlite:FILE#table"
        raise DefsError(f"{_named(text)}: {scheme} is not supported", hint=hint)
    if "://" in text:
        return Target(TargetKind.REMOTE, text, text, _format_of(_path_of(text), text))
    try:
        path = output_path(text)
    except ValueError as error:
        hint = "give a path below the folder of the run, as in books.csv, or a URL"
        raise DefsError(f"output {text!r} {error}", hint=hint) from None
    return Target(TargetKind.FILE, path, path, _format_of(path, text))


def _named(text: str) -> str:
    """An output in a message, without the password that its URL may have."""
    return f"output {without_credentials(text)!r}"


def _path_of(text: str) -> str:
    """The path of a file's URL."""
    try:
        parts = urlsplit(text)
    except ValueError as error:
        what = f"{_named(text)} is not a valid URL: {error}"
        raise DefsError(what, hint="write it as in s3://bucket/books.csv") from None
    if parts.password:
        hint = "remove it, since reports show the URL; put it into the environment"
        raise DefsError(f"{_named(text)} contains a password", hint=hint)
    return parts.path


def _sqlite(text: str) -> Target:
    url, table = _parted(text)
    path = sqlite_path(url)
    if not path:
        raise DefsError(f"{_named(text)} names no file", hint="write it as in sqlite:books.db#books")
    return Target(TargetKind.SQLITE, f"sqlite:{path}#{table}", path, table=table)


def sqlite_path(url: str) -> str:
    """Return the path of the file that a SQLite URL names, in Scoopi's or SQLAlchemy's form.

    >>> sqlite_path("sqlite:books.db"), sqlite_path("sqlite:///books.db"), sqlite_path("sqlite:////data/b.db")
    ('books.db', 'books.db', '/data/b.db')
    """
    path = url.partition(":")[2]
    return path[2:].removeprefix("/") if path.startswith("//") else path


def _postgresql(text: str) -> Target:
    url, table = _parted(text)
    url = f"postgresql{url[url.index(':') :]}"
    try:
        parts = urlsplit(url)
        password, _ = parts.password, parts.port
    except ValueError as error:
        raise DefsError(f"{_named(text)} is not a valid URL: {error}", hint=_EXAMPLE) from None
    if password is not None or "password=" in parts.query:
        shown = url.replace(f":{password}@", ":…@")
        raise DefsError(f"output {shown!r} contains a password", hint=_ENVIRONMENT)
    if not url.startswith("postgresql://"):
        raise DefsError(f"{_named(text)} is not a valid URL", hint=_EXAMPLE)
    return Target(TargetKind.POSTGRESQL, f"{url}#{table}", url, table=table)


_EXAMPLE = "write it as in postgresql://user@localhost/shop#books"


def _parted(text: str) -> tuple[str, str]:
    place, hash_sign, table = text.partition("#")
    if not hash_sign or not table:
        hint = f"add one, as in {without_credentials(place)}#books"
        raise DefsError(f"{_named(text)} names no table", hint=hint)
    if not _TABLE.fullmatch(table):
        hint = "use letters, digits and _, with the schema before a dot if there is one"
        raise DefsError(f"{table!r} is not a valid name of a table", hint=hint)
    if len(table.rpartition(".")[2].encode()) > _LONGEST_TABLE_BYTES:
        raise DefsError(f"the name of table {table} is too long", hint="use up to 58 bytes")
    return place, table


def _format_of(path: str, text: str) -> str:
    plain = path
    for ending in COMPRESSIONS:
        plain = plain.removesuffix(ending)
    ending = posixpath.splitext(plain)[1].removeprefix(".")
    if ending in FORMATS:
        return ending
    known = ", ".join(f".{each}" for each in FORMATS)
    near = nearest(ending, FORMATS) if ending else ""
    what = f"{_named(text)} has no known format"
    stem = plain.removesuffix(f".{ending}") if ending else plain
    hint = f"did you mean {stem}.{near}?" if near else f"use a file name that ends with one of {known}"
    raise DefsError(what, hint=hint)


def stream_of(group: str, task: str) -> str:
    """Return the name of a task's records in frames; all outputs of the task are written from them.

    >>> stream_of("list", "books")
    'records:list.books'
    """
    return f"records:{group}.{task}"


def rejected_of(group: str, task: str) -> str:
    """Return the name of a task's rejected records in frames, which are lines of JSON."""
    return f"rejected:{group}.{task}"
