"""`--limit N`: a run ends after N pages, with everything that these pages give."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from scoopi.cli.exit_codes import DONE, WRONG_USAGE
from scoopi.mediator.budgets.page_limit import NO_LIMIT, PageLimit
from tests.engine.workspace import Workspace

DEFINITIONS = """\
locatorGroups: {{ list: [ {urls} ] }}
taskGroups:
  list: {{ cards: {{ dataDef: card, output: [ cards.csv, "sqlite:a.db#cards" ] }} }}
dataDefs:
  card: {{ each: li, expect: {{ records: "9-" }}, fields: {{ title: a }} }}
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Definitions of five pages with a card each."""
    monkeypatch.chdir(tmp_path)
    for number in range(5):
        (tmp_path / f"{number}.html").write_text(f"<li><a>card {number}</a>")
    urls = ", ".join(f"/{number}.html" for number in range(5))
    (tmp_path / "defs.yml").write_text(DEFINITIONS.format(urls=urls))
    return Workspace(tmp_path)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_ends_after_so_many_pages_and_is_done(workspace: Workspace, workers: int) -> None:
    ended = workspace.scoopi("run", "defs.yml", "--limit", 2, "--workers", workers)

    (run,) = workspace.runs()
    report = json.loads((run / "run.json").read_text())
    assert (ended.code, report["status"], report["pages"], report["jobs"]["left"]) == (DONE, "done", 2, 3)
    assert "limit reached: 2 pages" in ended.err
    assert len((run / "cards.csv").read_text().splitlines()) == 3
    with sqlite3.connect(workspace.folder / "a.db") as connection:
        assert connection.execute("SELECT count(*) FROM cards").fetchone() == (2,)
    assert (workspace.folder / "output" / "latest").resolve() == run.resolve()


def test_a_run_that_reached_its_limit_is_not_resumed_unasked(workspace: Workspace) -> None:
    workspace.scoopi("run", "defs.yml", "--limit", 2, "--workers", 0)

    assert "nothing to resume" in workspace.scoopi("resume").err


def test_a_limit_above_the_number_of_pages_changes_nothing(workspace: Workspace) -> None:
    ended = workspace.scoopi("run", "defs.yml", "--limit", 9, "--workers", 0)

    assert ended.code == 4, "five records are fewer than expected"
    assert "limit" not in ended.err


def test_a_limit_is_a_number_from_1(workspace: Workspace) -> None:
    ended = workspace.scoopi("run", "defs.yml", "--limit", "0")

    assert ended.code == WRONG_USAGE
    assert "needs a whole number from 1" in ended.err


def test_jobs_that_are_handed_back_do_not_count() -> None:
    limit = PageLimit(3)
    limit.add(limit.cut(5))
    reached = limit.is_reached
    limit.add(-2)

    assert (reached, limit.is_reached, limit.cut(5)) == (True, False, 2)
    assert (NO_LIMIT.is_reached, NO_LIMIT.cut(5)) == (False, 5)
