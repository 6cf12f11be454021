"""Failure: why a task lost its rows, or what it warns of."""

from __future__ import annotations

import msgspec


class Failure(msgspec.Struct, frozen=True):
    """One error (or warning) of a job, as reported to the user.

    Attributes:
        cause: the fault without the particulars of this page, by which failures are grouped.
        message: the whole sentence, with the hint.
        job: the job's label, `name:group`.
        task: the task's name.
        step: the step's name.
        url: the page's address.
        at: `file:line:column` of the definition, empty if none.
    """

    cause: str
    message: str
    job: str = ""
    task: str = ""
    step: str = ""
    url: str = ""
    at: str = ""
