"""Records of a run go to every output that its tasks name."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.engine.workspace import Workspace

CARD = "<li><a href={link}>{title}</a><b>{price}</b></li>"
DEFINITIONS = """\
locatorGroups: {{ list: /list.html }}
taskGroups:
  list:
    cards: {{ dataDef: card, output: {outputs} }}
dataDefs:
  card:
    each: li
    {more}
    fields:
      title: a
      price: {{ select: b, type: decimal, required: {required} }}
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A folder with a page of three cards."""
    monkeypatch.chdir(tmp_path)
    cards = [("Attic", "1.50"), ("Barn", "no"), ("Attic", "3")]
    page = "".join(CARD.format(link="x", title=title, price=price) for title, price in cards)
    (tmp_path / "list.html").write_text(f"<ul>{page}</ul>")
    return Workspace(tmp_path)


def write(workspace: Workspace, outputs: str, more: str = "", required: str = "false") -> None:
    """The definitions of a run."""
    text = DEFINITIONS.format(outputs=outputs, more=more, required=required)
    (workspace.folder / "defs.yml").write_text(text)


def table(folder: Path, name: str = "cards") -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "books.db") as connection:
        return sorted(connection.execute(f'SELECT title, price FROM "{name}"'), key=str)


def test_a_task_writes_all_of_its_outputs(workspace: Workspace) -> None:
    write(workspace, "[ cards.csv, cards.parquet, cards.xlsx, 'sqlite:books.db#cards' ]")

    ended = workspace.scoopi("run", "defs.yml", "--workers", 0)

    (run,) = workspace.runs()
    assert ended.code == 0, ended.err
    assert (run / "cards.csv").read_text() == "title,price\nAttic,1.50\nBarn,\nAttic,3\n"
    assert {path.name for path in run.glob("cards*")} == {"cards.csv", "cards.parquet", "cards.xlsx"}
    assert table(workspace.folder) == [("Attic", 1.5), ("Attic", 3), ("Barn", None)]
    assert set(json.loads((run / "run.json").read_text())["rows"].values()) == {3}


def test_rejected_records_stand_in_a_file_with_reason_url_and_place(workspace: Workspace) -> None:
    write(workspace, "cards.csv", required="true")

    workspace.scoopi("run", "defs.yml", "--workers", 0)

    (run,) = workspace.runs()
    (rejected,) = (run / "cards.csv.rejected.jsonl").read_text().splitlines()
    found = json.loads(rejected)
    assert found["url"] == "/list.html"
    assert found["at"].startswith("defs.yml:")
    assert found["reason"]


def test_without_rejected_records_there_is_no_file_of_them(workspace: Workspace) -> None:
    write(workspace, "cards.csv")

    workspace.scoopi("run", "defs.yml", "--workers", 0)

    (run,) = workspace.runs()
    assert not [*run.glob("*.rejected.jsonl")]


def test_a_second_run_updates_rows_by_their_key(workspace: Workspace) -> None:
    write(workspace, "'sqlite:books.db#cards'", "key: [ title ]")
    workspace.scoopi("run", "defs.yml", "--workers", 0)
    page = workspace.folder / "list.html"
    page.write_text(page.read_text().replace("1.50", "9"))

    workspace.scoopi("run", "defs.yml", "--workers", 0)

    assert table(workspace.folder) == [("Attic", 9), ("Barn", None)]


def test_a_table_that_does_not_match_is_an_error_before_a_run_begins(workspace: Workspace) -> None:
    write(workspace, "'sqlite:books.db#cards'")
    with sqlite3.connect(workspace.folder / "books.db") as connection:
        connection.execute("CREATE TABLE cards (title INTEGER)")

    ended = workspace.scoopi("run", "defs.yml", "--workers", 0)

    assert ended.code == 3
    assert "column title is INTEGER, and must be TEXT" in ended.err
    assert not [*workspace.folder.glob("output/*")]


def test_records_on_stdout_are_the_only_thing_there(workspace: Workspace) -> None:
    write(workspace, '"-"')

    ended = workspace.process("run", "defs.yml", "--workers", 0)

    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [line["title"] for line in lines] == ["Attic", "Barn", "Attic"]


def test_records_that_are_not_as_expected_are_held_back(workspace: Workspace) -> None:
    write(workspace, "[ cards.csv, 'sqlite:books.db#cards' ]", 'expect: { records: "5-" }')

    ended = workspace.scoopi("run", "defs.yml", "--workers", 0)

    (run,) = workspace.runs()
    assert ended.code == 4
    assert "card: there are 3 records, expected: 5-" in ended.err
    assert [path.name for path in run.glob("cards*")] == ["cards.csv.held"]
    assert (table(workspace.folder), len(table(workspace.folder, "cards.held"))) == ([], 3)
    assert json.loads((run / "run.json").read_text())["unmet"]


def test_with_stream_a_table_is_loaded_although_its_records_are_not_as_expected(workspace: Workspace) -> None:
    output = "[ { to: 'sqlite:books.db#cards', stream: true } ]"
    write(workspace, output, 'expect: { records: "5-" }')

    ended = workspace.scoopi("run", "defs.yml", "--workers", 0)

    assert (ended.code, len(table(workspace.folder))) == (4, 3)
