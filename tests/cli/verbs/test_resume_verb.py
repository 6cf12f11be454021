"""`resume` takes a run, or the newest unfinished one."""

from __future__ import annotations

from typing import Any


def test_resume_takes_a_run_or_none(screen: Any, stand_in: Any) -> None:
    assert screen.run("resume", "output/r1", "--workers", "auto") == 0
    assert screen.run("resume") == 0
    assert stand_in.calls == [("resume", "output/r1"), ("resume", None)]
    assert stand_in.made["defs_dir"] is None


def test_nothing_to_resume_is_said_and_exit_0(screen: Any, stand_in: Any) -> None:
    stand_in.report = None
    assert screen.run("resume", "--output", "rows") == 0
    assert screen.err.getvalue() == "nothing to resume: no unfinished run in rows\n"
    assert screen.run("resume", "--failed") == 0
    assert screen.err.getvalue().endswith("no unfinished run, and no failed task in output\n")
