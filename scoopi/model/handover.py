"""Payload and Handover: the input and the output of a step, and the grant that a loader may request."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from scoopi.errors import StepError
from scoopi.model.downloads import FileRef, FileRequest
from scoopi.model.failure import Failure
from scoopi.model.locator import Link, Locator

Input = TypeVar("Input")


class Payload(msgspec.Struct, frozen=True):
    """The input of a step.

    Attributes:
        job: the job's id.
        locator: the job's page.
        page: the position of the page in the chain of links, from 1.
        task: the name of the task; empty before the page is loaded.
        input: the value that the step works on: Locator, Page, Data, …
        parent: the values of the record that led to the page, by column.
    """

    job: str
    locator: Locator
    page: int
    task: str
    input: object
    parent: dict[str, Any] = {}

    def expect(self, kind: type[Input]) -> Input:
        """Return the input, checked to be of type `kind`.

        Raises:
            StepError: the previous step handed over a value of another type.
        """
        if isinstance(self.input, kind):
            return self.input
        got = type(self.input).__name__
        raise StepError(
            f"the step expects {kind.__name__}, but received {got}",
            hint="check the order of the task's steps",
        )

    def advance(self, output: object) -> Payload:
        """Return the payload for the next step, whose input is the output of this one."""
        return Payload(self.job, self.locator, self.page, self.task, output, self.parent)


class Grant(msgspec.Struct, frozen=True, array_like=True):
    """A permit for one request to a host: use it before `not_after`, or return it unused.

    Attributes:
        host: `host:port` in lower case.
        not_after: seconds on this machine's monotonic clock.
        is_paced: whether the host has a delay, so that its next grant waits for the report that this request
            was sent.
    """

    host: str
    not_after: float
    is_paced: bool = True


class Part(msgspec.Struct, frozen=True, array_like=True):
    """The encoded rows of one output file; `rows` is their number."""

    output: str
    rows: int
    body: bytes


class ToTask(msgspec.Struct, frozen=True):
    """The payload passes to the next step of its task, in the same worker.

    Attributes:
        files: the downloaded files that its rows now refer to.
    """

    payload: Payload
    warnings: tuple[Failure, ...] = ()
    files: tuple[FileRef, ...] = ()


class ToFiles(msgspec.Struct, frozen=True):
    """The task waits for files without holding a thread; then its step runs again, with their `Downloads`."""

    payload: Payload
    requests: tuple[FileRequest, ...]


class ToJobs(msgspec.Struct, frozen=True):
    """The task ends; its links become child jobs."""

    links: tuple[Link, ...]
    warnings: tuple[Failure, ...] = ()


class ToAppender(msgspec.Struct, frozen=True):
    """The task ends; its encoded rows are written to the node's segment, and its links become child jobs."""

    parts: tuple[Part, ...]
    warnings: tuple[Failure, ...] = ()
    links: tuple[Link, ...] = ()


class ToGrant(msgspec.Struct, frozen=True):
    """The payload waits for the grant of a request to `host` without holding a thread; then its step runs.

    Attributes:
        url: the address to request; empty if the payload holds it.
        is_subresource: whether a page in a browser makes the request, to which robots.txt does not apply.
    """

    host: str
    payload: Payload
    url: str = ""
    is_subresource: bool = False


class ToSession(msgspec.Struct, frozen=True):
    """The payload waits for a login of the session newer than `version`, without holding a thread."""

    session: str
    version: int
    payload: Payload


Handover = ToTask | ToFiles | ToJobs | ToAppender | ToGrant | ToSession
