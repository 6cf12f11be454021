"""FolderCollector: removes the folders of attempts that are over, and former projects."""

from __future__ import annotations

import fcntl
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from scoopi.model.schedule.schedule_records import LIVE, PAST
from scoopi.serve.gc.folder_collector import FolderCollector
from scoopi.serve.state import State
from scoopi.serve.work.attempt_environment import attempt_folder
from tests.scheduler.scenarios.records import attempt_of
from tests.serve.conftest import NOW, Deployed

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def state(deployed: Deployed) -> State:
    return deployed("processes: {p: {executes: external:x}}")


def work_of(state: State, slot: str, ended: timedelta, phase: str = PAST, *, is_kept: bool = True) -> Path:
    """The folder of an attempt, with a log; its record is in the store or not."""
    attempt = attempt_of(slot=slot, status="succeeded", phase=phase, created=NOW, ended=NOW - ended)
    if is_kept:
        assert state.store.write(None, attempt)
    folder = attempt_folder(state.folder / "work", attempt)
    folder.mkdir(parents=True)
    (folder / "log").write_text("text")
    touched(folder, NOW - ended)
    return folder


def test_the_folders_in_which_nodes_worked_together_are_removed_like_those_of_attempts(
    deployed: Deployed, tmp_path: Path
) -> None:
    state = deployed("processes: {p: {executes: scrape:books}}")
    old, new = (work_of(state, slot, ended) for slot, ended in (("!1", 8 * DAY), ("!2", 6 * DAY)))
    runs = tmp_path / "output/p/.runs"
    for name in (old.name, new.name):
        (runs / name).mkdir(parents=True)
    for step in FolderCollector(state, NOW, output=tmp_path).steps():
        assert len(step) <= 1
    assert [path.name for path in runs.iterdir()] == [new.name]


def test_an_output_folder_that_cannot_be_read_stops_no_round(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed("processes: {p: {executes: scrape:books}}")
    old = work_of(state, "!1", 8 * DAY)
    (tmp_path / "output").write_text("a file")
    steps = FolderCollector(state, NOW, output=tmp_path).steps()
    assert [each.name for step in steps for each in step] == [f"work/{old.name}"]


def touched(path: Path, at: datetime) -> None:
    os.utime(path, (at.timestamp(), at.timestamp()))


def collected(state: State, *, is_dry: bool = False) -> list[str]:
    steps = FolderCollector(state, NOW, is_dry=is_dry).steps()
    return [each.name for step in steps for each in step]


def test_folders_of_old_attempts_are_removed(state: State) -> None:
    old = work_of(state, "D:2026010100", 8 * DAY)
    others = [
        work_of(state, "!1", 6 * DAY),
        work_of(state, "!2", 8 * DAY, LIVE),
        work_of(state, "!3", 6 * DAY, is_kept=False),
    ]
    lost = work_of(state, "@2025-12-01T00:00:00Z", 8 * DAY, is_kept=False)
    foreign = state.folder / "work" / "notes"
    foreign.mkdir()
    gone = [f"work/{lost.name}", f"work/{old.name}"]
    assert collected(state, is_dry=True) == gone
    assert old.exists()
    assert collected(state) == gone
    assert sorted((state.folder / "work").iterdir()) == sorted([*others, foreign])


def test_a_folder_stays_in_which_a_supervisor_runs(state: State) -> None:
    folder = work_of(state, "!1", 8 * DAY, is_kept=False)
    with (folder / "lock").open("wb") as lock:
        touched(folder, NOW - 8 * DAY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert collected(state) == []
    assert collected(state) == [f"work/{folder.name}"]


def test_unpacked_projects_go_when_the_store_has_them_no_more(state: State) -> None:
    current = state.project(state.current()[0])
    bundles = current.parent
    for name in ("gone", ".half-unpacked", "new"):
        (bundles / name).mkdir()
    for folder in (current, bundles / "gone", bundles / ".half-unpacked"):
        touched(folder, NOW - DAY)
    touched(bundles / "new", NOW)
    assert collected(state) == ["bundles/.half-unpacked", "bundles/gone"]
    assert sorted(bundles.iterdir()) == sorted([current, bundles / "new"])


def test_without_any_folder_there_is_nothing_to_remove(tmp_path: Path) -> None:
    with State(tmp_path / "empty") as state:
        assert collected(state) == []


@pytest.mark.parametrize(
    ("kept", "goes", "stays"),
    [("2d", 2 * DAY + HOUR, 2 * DAY - HOUR), ("0s", HOUR + MINUTE, HOUR - MINUTE)],
    ids=["as the project says", "never less than an hour"],
)
def test_folders_are_kept_as_long_as_the_project_keeps_logs(
    deployed: Deployed, kept: str, goes: timedelta, stays: timedelta
) -> None:
    settings = f"settings: {{gc: {{retention: {{attempts: 30d, logs: {kept}}}}}}}"
    state = deployed(f"{settings}\nprocesses: {{p: {{executes: external:x}}}}")
    recorded, unrecorded = work_of(state, "!1", goes), work_of(state, "!2", goes, is_kept=False)
    work_of(state, "!3", stays)
    work_of(state, "!4", stays, is_kept=False)
    assert collected(state) == [f"work/{recorded.name}", f"work/{unrecorded.name}"]
