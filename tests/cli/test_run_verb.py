"""`run` hands its options to the engine, and turns its answers into words and codes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.errors import UsageError
from scoopi.model.report.run_report import JobCounts, Progress, RunStatus


def test_defs_alone_is_run(
    screen: Any, stand_in: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chek").mkdir()
    assert screen.run("chek") == 0
    assert (stand_in.made["defs_dir"], stand_in.calls) == (Path("chek"), ["run"])


def test_options_before_defs_are_of_run(screen: Any, stand_in: Any) -> None:
    assert screen.run("--workers", "2", "some/defs") == 0
    assert (stand_in.made["defs_dir"], stand_in.made["workers"]) == (Path("some/defs"), "2")


def test_run_hands_over_every_option(screen: Any, stand_in: Any) -> None:
    screen.environ["SCOOPI_WORKERS"] = "1"
    line = "run d --output o --conf c.yml -D a.b=1 -Da.c=x=y -D a.b=2 --workers 0 --quiet -i n=a=b --group g"
    assert screen.run(*line.split()) == 0
    watch = stand_in.made.pop("watch")
    watch(Progress())
    stand_in.made.pop("notify")("not shown with --quiet")
    assert screen.err.getvalue() == ""
    assert stand_in.made == {
        "defs_dir": Path("d"),
        "output": Path("o"),
        "conf": Path("c.yml"),
        "configs": {"a.b": "2", "a.c": "x=y"},
        "workers": "0",
        "environ": screen.environ,
        "run_name": None,
        "discard_lost": False,
        "limit": None,
        "inputs": {"n": "a=b"},
        "groups": ["g"],
    }
    assert screen.err.getvalue() == ""


@pytest.mark.parametrize("line", ["run d --plain", "--plain d", "resume --plain"])
def test_plain_is_a_setting_of_this_node(screen: Any, stand_in: Any, line: str) -> None:
    assert screen.run(*line.split()) == 0
    assert stand_in.made["configs"] == {"scoopi.parser.plain": "true"}


def test_run_without_options_leaves_the_rest_to_settings(screen: Any, stand_in: Any) -> None:
    screen.run("run", "d")
    assert stand_in.made["output"] == Path("output")
    assert (stand_in.made["conf"], stand_in.made["configs"], stand_in.made["workers"]) == (None, {}, None)


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
