"""`scoopi process backfill` as people type it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scoopi.errors import StateRefusedError
from scoopi.model.schedule.schedule_records import ENDED, JobRecord
from scoopi.scheduler.decisions import changed
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.store.schedule.schedule_store import ScheduleStore
from tests.cli.conftest import Screen

NOW = "2026-03-27T12:00:00Z"
SHOP = """
namespace: shop
processes:
  books: {executes: external:x, qualifier: daily, trigger: {every: 60s}}
  press: {executes: external:x}
"""


@pytest.fixture
def shop(screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.chdir(tmp_path)
    Path("jobs").mkdir()
    Path("jobs/shop.yml").write_text(SHOP)
    assert screen.run("deploy", "jobs", "--now", NOW) == 0
    return screen


def backfill(screen: Screen, *words: str, process: str = "books") -> list[dict[str, object]]:
    before = len(screen.out.getvalue())
    code = screen.run("process", "backfill", process, *words, "--json", "--now", NOW)
    assert code == 0, screen.err.getvalue()
    return [json.loads(line) for line in screen.out.getvalue()[before:].splitlines()]


def test_a_dry_run_creates_nothing_and_existing_jobs_stay_as_they_are(shop: Screen) -> None:
    days = ("--from", "2026032000", "--to", "2026032200")
    planned = backfill(shop, *days, "--dry-run")
    assert [(row["job"], row["change"]) for row in planned] == [
        (f"shop.books/D:202603{day}00", "create") for day in (20, 21, 22)
    ]
    assert backfill(shop, "--list") == []
    assert [row["change"] for row in backfill(shop, "--from", "2026032100", "--to", "2026032100")] == [
        "create"
    ]
    again = backfill(shop, *days, "--order", "new", "--max-parallel", "1")
    assert [(row["change"], row["backfill"]) for row in again] == [
        ("create", "b2"),
        ("exists", "b2"),
        ("create", "b2"),
    ]


def test_a_job_that_another_process_creates_meanwhile_is_shown_with_its_state(
    shop: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = ScheduleStore.write

    def late(store: ScheduleStore, old: Any, new: Any) -> bool:
        if isinstance(new, JobRecord) and new.slot == "D:2026032100":
            assert write(store, None, changed(new, state="processed", phase=ENDED))
        return write(store, old, new)

    monkeypatch.setattr(ScheduleStore, "write", late)
    rows = backfill(shop, "--from", "2026032000", "--to", "2026032100")
    assert [(row["change"], row["state"]) for row in rows] == [("create", "embryo"), ("exists", "processed")]


def test_a_backfill_is_listed_and_cancelled(shop: Screen) -> None:
    backfill(shop, "--from", "2026032000", "--to", "2026032200")
    (row,) = backfill(shop, "--list")
    assert {name: row[name] for name in ("backfill", "from", "to", "jobs", "embryo")} == {
        "backfill": "b1",
        "from": "D:2026032000",
        "to": "D:2026032200",
        "jobs": 3,
        "embryo": 3,
    }
    assert [each["state"] for each in backfill(shop, "--cancel", "b1")] == ["skipped"] * 3
    (row,) = backfill(shop, "--list")
    assert (row["embryo"], row["skipped"]) == (0, 3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("books",), "a backfill needs both ends of a range"),
        (("books", "--from", "2026032000"), "a backfill needs both ends of a range"),
        (("books", "--list", "--cancel", "b1"), "a backfill needs both ends of a range"),
        (("books", "--cancel", "b7"), "process shop.books has no backfill b7"),
        (("books", "--from", "2027010100", "--to", "2027010200"), "2027010100 has not begun yet"),
        (("books", "--from", "2026010200", "--to", "2026010100"), "2026010200 is later than 2026010100"),
        (("books", "--from", "1970010100", "--to", "2026010100"), "there are more than 10000 slots"),
        (("books", "--from", "x", "--to", "2026010100"), "x"),
        (
            ("press", "--from", "2026-01-01T00:00:00Z", "--to", "2026-01-01T00:00:00Z"),
            "press has no slots of",
        ),
        (("books", "--from", "2026032000", "--to", "2026032000", "--max-parallel", "-1"), "a number from 0"),
    ],
)
def test_wrong_usage_says_what_is_wrong(shop: Screen, words: tuple[str, ...], message: str) -> None:
    assert shop.run("process", "backfill", *words, "--now", NOW) == 2
    assert message in shop.err.getvalue()


class Busy(JobService):
    """A service beside a `serve`, which ends one job and moves another just before they are skipped."""

    def __init__(self, state: State, ends: str, moves: str) -> None:
        super().__init__(state, datetime.now(UTC), str)
        self._records, self._ends, self._moves = state.store, ends, moves

    def skip(self, job: str, *, dry_run: bool = False) -> list[dict[str, Any]]:
        old = self.job(job)
        if job == self._ends:
            self._ends = ""
            assert self._records.write(old, changed(old, state="processed", phase=ENDED))
        if job == self._moves:
            self._moves = ""
            raise StateRefusedError(f"{job} has changed meanwhile", hint="look at it, then try again")
        return super().skip(job, dry_run=dry_run)


def test_a_cancel_goes_through_all_jobs_although_some_end_meanwhile(shop: Screen) -> None:
    backfill(shop, "--from", "2026032000", "--to", "2026032200")
    first, second, third = (f"shop.books/D:202603{day}00" for day in (20, 21, 22))
    with State(Path("scheduler")) as state:
        service = ProcessService(state, datetime.now(UTC)).backfills("shop.books")
        rows = service.cancel("b1", Busy(state, ends=first, moves=second))
    assert {row["job"]: row["state"] for row in rows} == {
        first: "processed",
        second: "skipped",
        third: "skipped",
    }
    (row,) = backfill(shop, "--list")
    assert (row["processed"], row["skipped"], row["embryo"]) == (1, 2, 0)


@pytest.mark.parametrize(
    ("own", "given", "expected"),
    [
        ("allow", (), "allow"),
        ("remind", (), "allow"),
        ("skip", (), "wait"),
        ("cancel_running", (), "wait"),
        ("allow", ("--overlap", "wait"), "wait"),
        ("wait", ("--overlap", "skip"), "skip"),
    ],
)
def test_a_backfill_overlaps_as_its_process_allows_or_as_asked(
    shop: Screen, own: str, given: tuple[str, ...], expected: str
) -> None:
    process = f"books: {{executes: external:x, trigger: {{every: 1h}}, overlap: {own}}}"
    Path("jobs/shop.yml").write_text(f"namespace: shop\nprocesses: {{{process}}}")
    assert shop.run("deploy", "jobs", "--now", NOW) == 0
    backfill(shop, "--from", "2026-03-26", "--to", "2026-03-26", *given)
    with State(Path("scheduler")) as state:
        overlaps = {job.backfill.overlap for job in state.store.scan(JobRecord) if job.backfill is not None}
    assert overlaps == {expected}


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        ((), (False, 0)),
        (("--order", "old", "--max-parallel", "2"), (False, 2)),
        (("--order", "new"), (True, 0)),
    ],
)
def test_a_backfill_keeps_its_order_and_its_limit_with_its_jobs(
    shop: Screen, given: tuple[str, ...], rules: tuple[bool, int]
) -> None:
    backfill(shop, "--from", "2026032000", "--to", "2026032200", *given)
    with State(Path("scheduler")) as state:
        kept = [job.backfill for job in state.store.scan(JobRecord)]
    assert [(each.newest_first, each.max_parallel) for each in kept if each is not None] == [rules] * 3
