"""`scoopi gc`: prints what it removes, or would remove."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Screen

PROJECT = "processes: {books: {executes: external:x}}"


@pytest.fixture
def finished(screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A project of which one job ended with the first of January."""
    monkeypatch.chdir(tmp_path)
    Path("jobs").mkdir()
    Path("jobs/jobs.yml").write_text(PROJECT)
    now = ("--now", "2026-01-01T00:00:00Z")
    for words in (
        ("deploy", "jobs"),
        ("launch", "books"),
        ("worker", "put", "w"),
        ("tick",),
        ("attempt", "claim", "--worker", "w"),
        ("attempt", "end", "books/!1/1", "--status", "succeeded"),
        ("tick",),
    ):
        assert screen.run(*words, *now) == 0, screen.err.getvalue()
    return screen


def printed(screen: Screen, *words: str) -> str:
    before = len(screen.out.getvalue())
    assert screen.run("gc", *words) == 0, screen.err.getvalue()
    return screen.out.getvalue()[before:]


def test_it_removes_what_is_too_old_at_its_time(finished: Screen) -> None:
    assert printed(finished, "--now", "2026-01-02T00:00:00Z") == ""
    assert "nothing is older than the retention period" in finished.err.getvalue()
    later = ("--now", "2026-03-01T00:00:00Z")
    table = "kind     name        reason\nattempt  books/!1/1  ended at 2026-01-01T00:00:00Z\n"
    assert printed(finished, "--dry-run", *later) == table
    assert printed(finished, *later) == table
    assert printed(finished, *later) == ""


def test_its_rows_are_one_object_a_line(finished: Screen) -> None:
    rows = [
        json.loads(line) for line in printed(finished, "--json", "--now", "2028-01-01T00:00:00Z").splitlines()
    ]
    reason = "ended at 2026-01-01T00:00:00Z"
    assert rows == [{"decision": "collected", "kind": "job", "name": "books/!1", "reason": reason}]
    assert finished.run("job", "show", "books/!1") == 2


def test_without_a_state_it_is_an_error(
    screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert screen.run("gc") == 2
    assert "there is no state of a scheduler" in screen.err.getvalue()
