"""Exit codes: the only place that maps errors, signals and reports to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scoopi import errors

if TYPE_CHECKING:
    from scoopi.model.report.run_report import RunReport

DONE = 0
SOME_FAILED = 1
UNEXPECTED = 1
WRONG_USAGE = 2
INVALID = 3
HELD_BACK = 4
NOT_ALLOWED = 4
UNREACHABLE = 5
INTERRUPTED = 130
_SIGNALLED = 128

_BY_ERROR: tuple[tuple[type[BaseException], int], ...] = (
    (errors.StateRefusedError, NOT_ALLOWED),
    (errors.UsageError, WRONG_USAGE),
    (errors.PeriodError, WRONG_USAGE),
    (errors.ClusterError, UNREACHABLE),
    (errors.RunError, UNREACHABLE),
    (errors.BootError, INVALID),
    (errors.StoreError, UNREACHABLE),
    (errors.AppenderError, UNREACHABLE),
    (KeyboardInterrupt, INTERRUPTED),
)
"""The first match counts, so subclasses come before their base class."""


def code_of_error(error: BaseException) -> int:
    """The exit code of an error that ended the program."""
    for kind, code in _BY_ERROR:
        if isinstance(error, kind):
            return code
    return UNEXPECTED


def code_of_signal(number: int) -> int:
    """130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP."""
    return _SIGNALLED + number


def code_of_report(report: RunReport) -> int:
    """The exit code of a run that finished or was stopped."""
    if report.status == "stopped":
        return INTERRUPTED if report.signal is None else code_of_signal(report.signal)
    if report.missing or not report.published or report.status == "failed":
        return UNREACHABLE
    if report.unmet:
        return HELD_BACK
    return SOME_FAILED if report.jobs.failed else DONE
