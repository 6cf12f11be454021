"""Output that cannot be written is reported, exit 5; later `resume` completes the run exactly."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bad_input.town import KEYS, Town, good_rows
from tests.engine.workspace import ROOT, Workspace

FULL = "No space left on device"
BLOCKS = 24
ROWS_A_PAGE = 200
WIDE = "x" * 500


def mounted(folder: Path, options: str) -> None:
    """Mount a small file system of its own, or change it; CI runs as root, where that is allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(
            f"these tests mount a tmpfs, so run them as root with CAP_SYS_ADMIN: {done.stderr.strip()}"
        )


@pytest.fixture
def disk(workspace: Workspace) -> Iterator[Callable[[str], None]]:
    """Makes `output` a disk of its own with the given mount options, or changes that disk."""
    folder = workspace.folder / "output"
    made = False

    def change(options: str) -> None:
        nonlocal made
        mounted(folder, f"remount,{options}" if made else options)
        made = True

    yield change
    if made:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def wide(town: Town) -> Counter[str]:
    """Pages with 2.4 MB of rows altogether; gives the rows."""
    rows: Counter[str] = Counter()
    lines = ["locatorGroups:", "  block:", "    locators:"]
    for number in range(BLOCKS):
        lines.append(f"      - {{ name: b{number}, url: pages/b{number}.html }}")
        cells = "".join(f"<p>{number}.{row}.{WIDE}" for row in range(ROWS_A_PAGE))
        (town.pages / f"b{number}.html").write_text(cells)
        rows += Counter(f"b{number}|block|item|row|{number}.{row}.{WIDE}" for row in range(ROWS_A_PAGE))
    town.write("\n".join(lines) + BLOCK_DEFINITIONS)
    return rows


BLOCK_DEFINITIONS = f"""
taskGroups:
  block: {{ blockTask: {{ dataDef: block }} }}
dataDefs:
  block:
    query: {{ block: "body", selector: "p:nth-child(%{{dim.row.index}})" }}
    items: [ item: {{ name: kind, value: item }} ]
    dims: [ item: {{ name: row, indexRange: 1-{ROWS_A_PAGE}, value: row }} ]
"""


def test_a_file_in_place_of_the_output_folder_is_reported(workspace: Workspace, town: Town) -> None:
    Path("output").write_text("mine")
    ended = workspace.scoopi("run", "defs")
    assert ended.code == 5
    for said in ("output: the output folder cannot be written", "choose another with --output"):
        assert said in ended.err
    assert Path("output").read_text() == "mine"


def test_a_file_above_the_output_folder_is_reported(workspace: Workspace, town: Town) -> None:
    Path("rows").write_text("mine")
    ended = workspace.scoopi("run", "defs", "--output", "rows/of/today")
    assert ended.code == 5
    for said in ("the output folder cannot be written: Not a directory", "choose another with --output"):
        assert said in ended.err


def test_an_output_folder_without_rights_is_reported(workspace: Workspace, town: Town) -> None:
    # Rights don't bind root, as whom CI runs: the process gives root's power over them away first.
    Path("output").mkdir(mode=0o555)
    ended = workspace.process("run", "defs", powerless=True)
    assert (ended.code, ended.out) == (5, "")
    for said in ("the output folder cannot be written: Permission denied", "choose another with --output"):
        assert said in ended.err
    assert not list(Path("output").iterdir())


def test_a_read_only_disk_is_reported(workspace: Workspace, town: Town, disk: Callable[[str], None]) -> None:
    disk("size=1m,ro")
    ended = workspace.scoopi("run", "defs")
    assert ended.code == 5
    assert "the output folder cannot be written: Read-only file system" in ended.err


NO_LOCKS = ("the volume does not support file locks: No locks available", "on a volume with file locks")


def test_a_volume_without_file_locks_is_reported_as_such_and_not_as_a_run_that_still_runs(
    workspace: Workspace, town: Town
) -> None:
    for ended in (
        workspace.process("run", "defs", lockless=True),
        workspace.process("run", "defs")
        and workspace.process("resume", workspace.run_folder(), lockless=True),
    ):
        assert (ended.code, ended.out) == (5, "")
        assert all(said in ended.err for said in NO_LOCKS), ended.err
        assert "still running" not in ended.err


@pytest.mark.parametrize("size", ["4k", "8k", "16k", "48k"])
def test_a_disk_that_is_full_from_the_start_is_reported_and_left_empty(
    workspace: Workspace, town: Town, disk: Callable[[str], None], size: str
) -> None:
    disk(f"size={size}")
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 5, ended.err
    assert "space" in ended.err, ended.err
    assert "unexpected" not in ended.err


# A worker that is a thread is ended by an exception at whatever line, perhaps with the file of a page open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("workers", [0, 2])
def test_a_disk_that_fills_up_is_reported_and_resume_completes_the_run(
    workspace: Workspace, town: Town, disk: Callable[[str], None], wide: Counter[str], workers: int
) -> None:
    disk("size=1m")
    ended = workspace.scoopi("run", "defs", "--workers", workers, "-D", "scoopi.appender.commitInterval=1")
    assert ended.code == 5, ended.err
    assert not (workspace.run_folder() / "data.txt").exists()
    if f"rows cannot be written: {FULL}" not in ended.err:  # the store met the full disk first
        assert "database or disk is full" in ended.err
        assert "free space on this disk" in ended.err
    else:
        assert "free some space or fix the disk, then `scoopi resume`" in ended.err
        assert_reported_cause(workspace, f"rows cannot be written: {FULL}")
    assert_stays_full(workspace)
    disk("size=16m")
    assert_resumed(workspace, wide)


def test_a_disk_that_is_too_small_to_publish_is_reported_and_resume_publishes(
    workspace: Workspace, town: Town, disk: Callable[[str], None], wide: Counter[str]
) -> None:
    disk("size=4m")
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 5, ended.err
    assert f"the output cannot be written: {FULL}" in ended.err
    hint = "free some space or fix the folder, then `scoopi resume` (in a cluster: start again)"
    assert f"{hint}; the rows are safe" in ended.err
    assert not (workspace.run_folder() / "data.txt").exists()
    assert not list(workspace.run_folder().rglob("*.tmp"))
    assert_reported_cause(workspace, f"the output cannot be written: {FULL}")
    disk("size=16m")
    assert_resumed(workspace, wide)


def test_a_full_disk_ends_a_real_process_with_5(
    workspace: Workspace, town: Town, disk: Callable[[str], None], wide: Counter[str]
) -> None:
    disk("size=1m")
    ended = workspace.process("run", "defs", "--workers", 2)
    assert (ended.code, ended.out) == (5, "")
    assert FULL in ended.err
    assert "Traceback" not in ended.err
    disk("size=16m")
    assert workspace.process("resume", "--workers", 2).code == 0
    assert workspace.rows() == wide


def test_a_full_stdout_is_reported_and_resume_writes_the_rows(workspace: Workspace, town: Town) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = workspace.process("run", "defs", "--workers", 0, "--output", "-", stdout=full)
    assert ended.code == 5, ended.err
    assert FULL in ended.err
    assert "Traceback" not in ended.err
    again = workspace.process("resume", "--workers", 0, "--output", "-")
    assert again.code == 0, again.err
    assert Counter(again.out.splitlines()) == good_rows()


def assert_reported_cause(workspace: Workspace, cause: str) -> None:
    """`run.json` calls the run failed and names the cause; there is still room for that little."""
    report = workspace.run_json()
    assert list(report) == KEYS
    assert (report["status"], report["rows"]) == ("failed", {})
    (error,) = report["errors"]
    assert (error["cause"], error["count"]) == (cause, 1)
    assert report["run"] in error["example"]["at"]


def assert_stays_full(workspace: Workspace) -> None:
    """While the disk is full, `resume` fails as the run did."""
    ended = workspace.scoopi("resume", "--workers", 0)
    assert ended.code == 5, ended.err
    assert FULL in ended.err or "full" in ended.err


def assert_resumed(workspace: Workspace, rows: Counter[str]) -> None:
    """`resume` completes the run: each row once, nothing left to do."""
    ended = workspace.scoopi("resume", "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() == rows
    report = workspace.run_json()
    assert report["status"] == "done"
    assert (report["jobs"]["done"], report["jobs"]["failed"], report["jobs"]["left"]) == (BLOCKS, 0, 0)
    assert report["rows"] == {"data.txt": rows.total()}
    assert "nothing to resume" in workspace.scoopi("resume").err


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("workers", [0, 1])
def test_a_process_with_closed_streams_runs_as_any_other(
    workspace: Workspace, town: Town, closed: str, workers: int
) -> None:
    code, err = run_with(closed, workspace, "--workers", str(workers))
    assert code == 0
    assert "Traceback" not in err
    assert workspace.rows() == good_rows()


def test_rows_for_a_closed_stdout_are_an_error(workspace: Workspace, town: Town) -> None:
    code, err = run_with(">&-", workspace, "--workers", "0", "--output", "-")
    assert code == 5
    assert "stdout is closed; " in err


def run_with(redirection: str, workspace: Workspace, *words: str) -> tuple[int, str]:
    """Run the definitions by a shell that redirects; exit code and what was said."""
    ended = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "scoopi", "run", "defs", *words],
        cwd=workspace.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.returncode, ended.stderr
