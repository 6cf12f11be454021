"""Failure: why a task failed, or what it warns of."""

from __future__ import annotations

import msgspec

from scoopi.errors import ScoopiError
from scoopi.model.locator import Locator
from scoopi.model.text.shown import cut, shown

LONGEST_CAUSE, LONGEST_MESSAGE = 1000, 4000
"""Limits of the texts of a page's failure, in characters: the error of a plugin may quote the page."""


class Failure(msgspec.Struct, frozen=True):
    """One error or warning of a job: why a task failed, or what it warns of.

    Attributes:
        cause: the fault without the particulars of the page; failures are grouped by it.
        message: the whole message, with its hint.
        job: the job's label, `name:group`.
        task: the task's name.
        step: the step's name.
        url: the page's address.
        at: `file:line:column` of the definition; empty if there is none.
        attempts: how often the page was requested.
        status: the HTTP status of the response, such as 404; 0 for other failures.
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
    """Return the failure or warning of a page; texts that are too long for a report are cut."""
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
    """Return the failure of a run that `error` ended; it has a place, but no page."""
    if isinstance(error, ScoopiError):
        return Failure(cause=error.what, message=str(error), at=error.at)
    what = f"{type(error).__name__}: {error}"
    return Failure(cause=what, message=what)
