"""`scoopi rows`: the rows that are committed, each once, also while the run is in progress."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from scoopi.cli.exit_codes import DONE, WRONG_USAGE
from tests.engine.workspace import Workspace, wait_until
from tests.server.server import Server

QUICKSTART = Path(__file__).parents[3] / "defs" / "examples" / "quickstart"
DEFINITIONS = """\
locatorGroups: {{ list: [ {urls} ] }}
taskGroups:
  list: {{ cards: {{ dataDef: card, output: {outputs} }} }}
dataDefs:
  card: {{ each: li, key: [ title ], fields: {{ title: a, price: {{ select: b, type: decimal }} }} }}
"""


@pytest.fixture
def workspace(tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (pages / f"{name}.html").write_text(f"<li><a>{name}</a><b>1.50</b><li><a>{name}</a><b>2</b>")
    return Workspace(tmp_path)


def write(workspace: Workspace, urls: str, outputs: str) -> None:
    (workspace.folder / "defs.yml").write_text(DEFINITIONS.format(urls=urls, outputs=outputs))


def test_rows_are_printed_as_their_output_has_them(workspace: Workspace, server: Server) -> None:
    write(workspace, f'"{server.url("/a.html")}"', "[ cards.csv, 'sqlite:a.db#cards' ]")
    workspace.scoopi("run", "defs.yml", "--workers", 0)

    first, table = (
        workspace.scoopi("rows"),
        workspace.scoopi("rows", "latest", "--output", "sqlite:a.db#cards"),
    )

    assert (first.code, first.out) == (DONE, "title,price\na,1.50\n")
    assert [json.loads(line) for line in table.out.splitlines()] == [{"title": "a", "price": 1.5}]


def test_rows_of_a_run_in_progress_are_those_that_are_committed(workspace: Workspace, server: Server) -> None:
    write(workspace, f'"{server.url("/a.html")}", "{server.url("/bad/silent")}"', "cards.csv")
    running = workspace.start("run", "defs.yml", "--workers", 1, "-D", "scoopi.loader.fetch.delay=0")
    try:
        wait_until(lambda: bool(workspace.runs()) and "a,1.50" in workspace.scoopi("rows").out, "a row")
        assert running.process.poll() is None
    finally:
        running.signal(signal.SIGKILL)
        running.wait(30)

    assert workspace.scoopi("rows").out == "title,price\na,1.50\n"


def test_following_ends_with_the_run_and_prints_each_row_once(workspace: Workspace, server: Server) -> None:
    urls = f'"{server.url("/a.html")}", "{server.url("/b.html")}"'
    write(workspace, urls, "cards.csv")
    running = workspace.start("run", "defs.yml", "--workers", 1, "-D", "scoopi.loader.fetch.delay=1000")
    try:
        wait_until(lambda: bool(workspace.runs()), "a run")
        followed = workspace.process("rows", "-f")
    finally:
        running.wait(30)

    assert sorted(followed.out.splitlines()) == ["a,1.50", "b,1.50", "title,price"]


def test_rows_of_a_grid_are_printed_too(workspace: Workspace) -> None:
    workspace.scoopi(QUICKSTART, "--workers", 0)
    (run,) = workspace.runs()

    assert workspace.scoopi("rows").out == (run / "data.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--output", "card.csv"), "did you mean cards.csv?"),
        (("nowhere",), "there is no such run"),
    ],
)
def test_a_run_or_output_that_is_not_there_is_an_error(
    workspace: Workspace, server: Server, arguments: tuple[str, ...], reason: str
) -> None:
    write(workspace, f'"{server.url("/a.html")}"', "cards.csv")
    workspace.scoopi("run", "defs.yml", "--workers", 0)

    ended = workspace.scoopi("rows", *arguments)

    assert ended.code == WRONG_USAGE
    assert reason in ended.err


def test_of_several_kinds_of_rows_one_must_be_named(workspace: Workspace, server: Server) -> None:
    write(workspace, f'"{server.url("/a.html")}"', "cards.csv")
    text = (workspace.folder / "defs.yml").read_text()
    more = "more: { dataDef: card, output: more.csv }"
    (workspace.folder / "defs.yml").write_text(
        text.replace("output: cards.csv }", "output: cards.csv }, " + more)
    )
    workspace.scoopi("run", "defs.yml", "--workers", 0)

    ended = workspace.scoopi("rows")

    assert ended.code == WRONG_USAGE
    assert "cards.csv, more.csv" in ended.err
