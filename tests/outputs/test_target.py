"""parse_target: what an entry of `output:` names, and what it cannot be."""

from __future__ import annotations

import pytest

from scoopi.errors import DefsError
from scoopi.outputs.target import TargetKind, parse_target, rejected_of, stream_of


@pytest.mark.parametrize(
    ("text", "kind", "format_name", "table"),
    [
        ("books.csv", TargetKind.FILE, "csv", ""),
        ("tables/books.jsonl.zst", TargetKind.FILE, "jsonl", ""),
        ("output/books.xlsx", TargetKind.FILE, "xlsx", ""),
        ("-", TargetKind.STDOUT, "jsonl", ""),
        ("s3://bucket/books.parquet", TargetKind.REMOTE, "parquet", ""),
        ("sqlite:books.db#specs", TargetKind.SQLITE, "", "specs"),
        ("postgresql://me@host:5433/shop#public.books", TargetKind.POSTGRESQL, "", "public.books"),
        ("postgres:///shop#books", TargetKind.POSTGRESQL, "", "books"),
    ],
)
def test_an_output_is_a_file_stdout_an_object_or_a_table(
    text: str, kind: TargetKind, format_name: str, table: str
) -> None:
    target = parse_target(text)

    assert (target.kind, target.format, target.table) == (kind, format_name, table)


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("books.cvs", "no known format", "did you mean books.csv?"),
        ("books", "no known format", ".parquet"),
        ("/etc/books.csv", "is absolute", "below the folder"),
        ("../books.csv", "leaves the folder", "below the folder"),
        ("sqlite:books.db", "names no table", "sqlite:books.db#books"),
        ("sqlite:#books", "names no file", "sqlite:books.db#books"),
        ("postgresql://host/db", "names no table", "#books"),
        ("postgresql://host/db#drop table", "not a valid name of a table", "letters"),
        ("postgresql://me:s3cret@host/db#books", "contains a password", "PGPASSWORD"),
        ("mysql://host/db#books", "mysql is not supported", "postgresql"),
        ("mysql://me:s3cret@host/db#books", "mysql is not supported", "postgresql"),
        ("postgresql://me:s3cret@host/db", "names no table", "postgresql://me:***@host/db#books"),
        ("postgresql://host/db?password=s3cret", "names no table", "?password=***#books"),
        ("sftp://me:s3cret@host/books.csv", "contains a password", "environment"),
        ("s3://key:s3cret@bucket/books.cvs", "contains a password", "environment"),
        ("s3://[bucket/books.csv", "is not a valid URL: Invalid IPv6 URL", "s3://bucket/books.csv"),
    ],
)
def test_what_is_not_an_output_is_an_error_with_a_hint(text: str, what: str, hint: str) -> None:
    with pytest.raises(DefsError) as raised:
        parse_target(text)

    assert what in raised.value.what
    assert hint in raised.value.hint
    assert "s3cret" not in str(raised.value)


def test_spellings_of_one_output_have_one_name() -> None:
    assert parse_target("sqlite:///books.db#b").name == parse_target("sqlite:books.db#b").name
    assert parse_target("postgres:///shop#b").name == parse_target("postgresql:///shop#b").name
    assert parse_target("output/a.csv").name == parse_target("a.csv").name


def test_rejected_records_have_a_file_beside_their_output() -> None:
    assert parse_target("books.csv").rejected == "books.csv.rejected.jsonl"
    assert parse_target("postgresql:///shop#books").rejected == "books.rejected.jsonl"


def test_records_and_rejected_records_of_a_task_have_different_names() -> None:
    assert stream_of("list", "books") != rejected_of("list", "books")
