"""run_in_terminal: signals, the summary and the exit code of a run from a terminal."""

from __future__ import annotations

import os
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.errors import UsageError
from scoopi.model.report.run_counts import JobCounts
from scoopi.model.report.run_report import RunStatus


def test_rows_to_stdout_leave_the_summary_on_stderr(screen: Any, stand_in: Any) -> None:
    assert screen.run("run", "d", "--output", "-") == 0
    assert stand_in.made["output"] == "-"
    assert screen.out.getvalue() == ""
    assert screen.err.getvalue().startswith("done in 1.00 s\n")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, 0),
        ({"jobs": JobCounts(done=1, failed=1)}, 1),
        ({"status": RunStatus.STOPPED, "signal": 2}, 130),
        ({"status": RunStatus.STOPPED, "signal": 15}, 143),
        ({"status": RunStatus.STOPPED}, 130),
        ({"status": RunStatus.STOPPED, "signal": 15, "published": False}, 143),
        ({"missing": ("a:b",), "jobs": JobCounts(failed=1)}, 5),
        ({"published": False}, 5),
        ({"status": RunStatus.FAILED}, 5),
    ],
)
def test_a_report_has_its_exit_code(screen: Any, stand_in: Any, change: dict[str, Any], code: int) -> None:
    stand_in.report = replace(stand_in.report, **change)
    assert screen.run("run", "d", "--quiet") == code
    assert bool(screen.err.getvalue()) == (code != 0)


def test_a_signal_stops_the_run_and_names_its_code(screen: Any, stand_in: Any) -> None:
    def stop() -> None:
        os.kill(os.getpid(), 15)
        for _ in range(1000):
            if stand_in.cancels:
                break
            os.sched_yield()
            _wait_a_little()

    stand_in.during = stop
    stand_in.report = replace(stand_in.report, status=RunStatus.STOPPED)
    assert screen.run("run", "d") == 143
    assert stand_in.cancels == [False]
    said = screen.err.getvalue()
    assert said.startswith("SIGTERM: finishing running tasks\n")
    assert "stopped by SIGTERM after 1.00 s" in said


def _wait_a_little() -> None:
    import threading

    threading.Event().wait(0.005)


def test_an_error_before_any_signal_is_reported(screen: Any, stand_in: Any) -> None:
    stand_in.error = UsageError("--output - needs one output file")
    assert screen.run("run", "d", "--output", "-") == 2
