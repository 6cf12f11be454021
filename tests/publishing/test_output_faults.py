"""OutputFaults: mistakes in `output:` are found by the check, with their place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from scoopi.publishing.output_faults import file_path_fault
from tests.engine.workspace import Workspace

DEFINITIONS = """\
locatorGroups: {{ list: /list.html }}
taskGroups:
  list:
    cards: {{ dataDef: card, output: [ {outputs} ] }}
    names: {{ dataDef: name, output: [ {others} ] }}
dataDefs:
  card: {{ each: li, fields: {{ title: a, price: {{ select: b, type: decimal }} }} }}
  name: {{ each: li, fields: {{ title: a }} }}
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.html").write_text("<li><a>x</a>")
    return Workspace(tmp_path)


def check(workspace: Workspace, outputs: str, others: str = "names.csv") -> str:
    (workspace.folder / "defs.yml").write_text(DEFINITIONS.format(outputs=outputs, others=others))
    return workspace.scoopi("check", "defs.yml").err + workspace.scoopi("check", "defs.yml").out


@pytest.mark.parametrize(
    ("outputs", "what", "hint"),
    [
        ("books.cvs", "output 'books.cvs' has no known format", "did you mean books.csv?"),
        ("'sqlite:books.db'", "names no table", "sqlite:books.db#books"),
        ("'s4://bucket/books.csv'", "unknown scheme", ""),
        ("'postgresql://me:secret@host/db#t'", "contains a password", "PGPASSWORD"),
        ("'postgresql://me:secret@host/db'", "names no table", "#books"),
        ("'sftp://me:secret@host/books.csv'", "contains a password", "environment"),
        ("{ to: books.csv, stream: true }", "stream: true is for databases", ""),
    ],
)
def test_a_mistake_in_an_output_is_reported_with_its_place(
    workspace: Workspace, outputs: str, what: str, hint: str
) -> None:
    text = check(workspace, outputs)

    assert "4:" in text
    assert what in text
    assert hint in text
    assert "secret" not in text


def test_tasks_with_different_columns_cannot_share_an_output(workspace: Workspace) -> None:
    assert "with different columns or keys" in check(workspace, "all.csv", "all.csv")


def test_a_table_that_does_not_match_is_found_by_the_check_and_nothing_is_made(workspace: Workspace) -> None:
    with sqlite3.connect(workspace.folder / "books.db") as connection:
        connection.execute("CREATE TABLE cards (title TEXT)")

    text = check(workspace, "'sqlite:books.db#cards', 'sqlite:new.db#cards'")

    assert "column price is missing" in text
    assert not (workspace.folder / "new.db").exists()


def test_a_key_that_is_not_a_field_is_reported_also_beside_a_table_that_exists(workspace: Workspace) -> None:
    with sqlite3.connect(workspace.folder / "books.db") as database:
        database.execute("CREATE TABLE books (title TEXT, price NUMERIC)")
    database.close()
    text = DEFINITIONS.format(outputs="'sqlite:books.db#books'", others="names.csv")
    (workspace.folder / "defs.yml").write_text(
        text.replace("card: { each: li,", "card: { each: li, key: tilte,")
    )
    checked = workspace.scoopi("check", "defs.yml")
    assert checked.code == 3
    assert "did you mean title?" in checked.err + checked.out


def test_right_outputs_have_no_fault(workspace: Workspace) -> None:
    outputs = (
        "books.csv, books.parquet, books.xlsx, books.jsonl.zst, '-', 'sqlite:a.db#t', 'memory://bucket/x.csv'"
    )

    assert "error" not in check(workspace, outputs)


@pytest.mark.parametrize(
    ("path", "is_of_cluster", "what"),
    [
        ("memory://b/%{sha256}", True, None),
        ("s4://b/%{sha256}", False, "object store 's4://b/%{sha256}' has an unknown scheme 's4'"),
        ("files/%{name}", False, None),
        ("files/%{name}", True, "two nodes of a cluster may save different files at this path"),
    ],
)
def test_paths_of_files_are_right_for_where_the_run_is(
    path: str, is_of_cluster: bool, what: str | None
) -> None:
    fault = file_path_fault(path, is_of_cluster=is_of_cluster)
    assert (fault and fault.what) == what
