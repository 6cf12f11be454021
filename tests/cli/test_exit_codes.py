"""Exit codes: what a script reads from errors, signals and reports."""

from __future__ import annotations

import signal
from datetime import UTC, datetime
from typing import Any

import pytest

from scoopi import errors
from scoopi.cli.exit_codes import code_of_error, code_of_report, code_of_signal
from scoopi.model.report.run_counts import JobCounts
from scoopi.model.report.run_report import RunReport, RunStatus

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def report(status: RunStatus = RunStatus.DONE, **fields: Any) -> RunReport:
    return RunReport("r1", "output/r1", status, NOW, NOW, **fields)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("x"), 2),
        (errors.PeriodError("x"), 2),
        (errors.DefsError("x"), 3),
        (errors.ConfigError("x"), 3),
        (errors.StateRefusedError("x"), 4),
        (errors.ClusterError("x"), 5),
        (errors.RunError("x"), 5),
        (errors.StoreError("x"), 5),
        (errors.RecordError("x"), 5),
        (errors.AppenderError("x"), 5),
        (KeyboardInterrupt(), 130),
        (RuntimeError("a defect"), 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_class_of_an_error_decides_the_code(error: BaseException, code: int) -> None:
    assert code_of_error(error) == code


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_a_signal_gives_the_code_that_shells_give_it(number: int, code: int) -> None:
    assert code_of_signal(number) == code


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (report(), 0),
        (report(jobs=JobCounts(done=3, skipped=2)), 0),
        (report(jobs=JobCounts(done=3, failed=1)), 1),
        (report(unmet=("books.csv: fewer than 10 records",)), 4),
        (report(unmet=("x",), jobs=JobCounts(failed=1)), 4),
        (report(published=False), 5),
        (report(missing=("job1",), unmet=("x",)), 5),
        (report(RunStatus.FAILED), 5),
        (report(RunStatus.STOPPED), 130),
        (report(RunStatus.STOPPED, signal=signal.SIGTERM, published=False), 143),
    ],
)
def test_the_worst_of_what_a_report_holds_decides_the_code(made: RunReport, code: int) -> None:
    assert code_of_report(made) == code
