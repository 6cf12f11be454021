"""RunFile: `run.json` says what a run did, and is read back as the report of a run that is over."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.model.failure import Failure
from scoopi.model.report.causes import Cause
from scoopi.model.report.run_counts import FileCounts, JobCounts
from scoopi.model.report.run_report import ALREADY_OVER, RunReport, RunStatus
from scoopi.runs.run_file import RunFile, RunView, versions

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def cause(text: str, message: str = "", **fields: Any) -> Cause:
    return Cause(text, 2, Failure(cause=text, message=message or text, job="job1", **fields))


REPORT = RunReport(
    run="r1",
    folder="output/r1",
    status=RunStatus.DONE,
    started=NOW,
    ended=NOW.replace(hour=1),
    jobs=JobCounts(done=3, failed=1),
    pages=4,
    rows={"books.csv": 40},
    errors=(cause("loader: status 503", attempts=3, status=503),),
    warnings=(cause("no rows", "no rows: 3 of 4 pages"),),
    skipped=(cause("robots.txt"),),
    times={"loader": 1.5},
    tasks={"books.prices": 0.5},
    budgets=("pages: 4 of 4",),
    files=FileCounts(2, 700),
)


@pytest.fixture
def file(tmp_path: Path) -> RunFile:
    (tmp_path / "node").mkdir()
    return RunFile(tmp_path, tmp_path / "node")


def view_of(file: RunFile, report: RunReport = REPORT) -> RunView:
    view = RunView.of(report, "00aa", ("bob",), {"scoopi": "1.0"})
    file.write(view)
    return view


def test_what_is_written_reads_back_as_the_same(file: RunFile) -> None:
    view = view_of(file)
    assert file.read() == view


def test_examples_leave_out_what_the_cause_or_the_default_says(file: RunFile, tmp_path: Path) -> None:
    view_of(file)
    known = json.loads((tmp_path / "run.json").read_text())
    (error,), (warning,), (skipped,) = (
        [each["example"] for each in known[name]] for name in ("errors", "warnings", "skipped")
    )
    assert (error["attempts"], error["status"]) == (3, 503)
    assert {"attempts", "status"} & {*warning, *skipped} == set()
    assert warning["message"] == "no rows: 3 of 4 pages"
    assert "message" not in {*error, *skipped}
    assert known["errors"][0]["cause"] == "loader: status 503"


def test_the_report_of_a_run_that_is_over_is_what_was_written(file: RunFile, tmp_path: Path) -> None:
    view_of(file)
    found = file.finished("r1", tmp_path)
    assert found == replace(REPORT, folder=str(tmp_path), publish_note=ALREADY_OVER)


def test_without_a_file_only_the_end_of_the_run_is_known(file: RunFile, tmp_path: Path) -> None:
    found = file.finished("r1", tmp_path)
    assert (found.run, found.status, found.publish_note) == ("r1", RunStatus.DONE, ALREADY_OVER)
    assert (found.rows, found.jobs) == ({}, JobCounts())


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"run": 1}', '"text"'])
def test_a_damaged_file_is_as_none(file: RunFile, tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    assert file.read() is None


def test_a_reader_never_sees_half_of_a_file(file: RunFile, tmp_path: Path) -> None:
    view_of(file)
    with (tmp_path / "run.json").open() as opened:
        view_of(file, replace(REPORT, rows={}))
        assert json.loads(opened.read())["rows"] == {"books.csv": 40}
    assert [path.name for path in (tmp_path / "node").iterdir()] == [], "nothing temporary stays"


def test_a_node_beside_others_keeps_a_copy_and_reads_that(tmp_path: Path) -> None:
    for node in ("ann", "bob"):
        (tmp_path / node).mkdir()
    ann, bob = (RunFile(tmp_path, tmp_path / node, keeps_own=True) for node in ("ann", "bob"))
    of_ann = view_of(ann)
    of_bob = view_of(bob, replace(REPORT, pages=9))
    assert (ann.read(), bob.read()) == (of_ann, of_bob)
    assert json.loads((tmp_path / "run.json").read_text())["pages"] == 9


def test_the_versions_are_those_of_what_rows_depend_on() -> None:
    assert [*versions()] == ["scoopi", "python", "lxml", "selectolax", "pycurl", "quickjs-ng"]
    assert all(version[0].isdigit() for version in versions().values())
