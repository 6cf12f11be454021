"""Failure: why a task lost its rows, or what it warns of."""

from __future__ import annotations

import msgspec

from scoopi.errors import ScoopiError
from scoopi.model.locator import Locator
from scoopi.model.text.shown import cut, shown

LONGEST_CAUSE, LONGEST_MESSAGE = 1000, 4000
"""Of a failure of a page: what a plugin raises may quote the page."""


class Failure(msgspec.Struct, frozen=True):
    """Why a task lost its rows, or what it warns of: one error or warning of a job.

    Attributes:
        cause: the fault without the particulars of this page, by which failures are grouped.
        message: the whole sentence, with the hint.
        job: the job's label, `name:group`.
        task: the task's name.
        step: the step's name.
        url: the page's address.
        at: `file:line:column` of the definition, empty if none.
        attempts: how often the page was asked for.
        status: the HTTP status that the site answered with, as 404; 0 for other failures.
    """

    cause: str
    message: str
    job: str = ""
    task: str = ""
    step: str = ""
    url: str = ""
    at: str = ""
    attempts: int = 1
    status: int = 0


def page_failure(
    locator: Locator, cause: str, message: str, task: str = "", step: str = "", at: str = ""
) -> Failure:
    """The failure, or the warning, of a page; what is too long for a report is cut."""
    return Failure(
        cause=cut(cause, LONGEST_CAUSE),
        message=cut(message, LONGEST_MESSAGE),
        job=f"{locator.name}:{locator.group}",
        task=task,
        step=step,
        url=shown(locator.url),
        at=at,
    )


def run_failure(error: BaseException) -> Failure:
    """The error that ended a run; it has a place, but no page."""
    if isinstance(error, ScoopiError):
        return Failure(cause=error.what, message=str(error), at=error.at)
    what = f"{type(error).__name__}: {error}"
    return Failure(cause=what, message=what)
