"""Payload and Handover: what a step gets and answers with, and the grant that a loader may ask for."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from scoopi.errors import StepError
from scoopi.model.downloads import FileOrder, FileRef
from scoopi.model.failure import Failure
from scoopi.model.locator import Link, Locator

Input = TypeVar("Input")


class Payload(msgspec.Struct, frozen=True):
    """What a step is given.

    Attributes:
        job: the job's id.
        locator: the job's page.
        page: its position in the chain of links, from 1.
        task: name of the task, empty before the page is loaded.
        input: what the step works on: Locator, Page, Data, …
        parent: values of the record that led to the page, by column.
    """

    job: str
    locator: Locator
    page: int
    task: str
    input: object
    parent: dict[str, Any] = {}

    def expect(self, kind: type[Input]) -> Input:
        """The input, if it is of that kind.

        Raises:
            StepError: the step before handed over something else.
        """
        if isinstance(self.input, kind):
            return self.input
        got = type(self.input).__name__
        raise StepError(
            f"the step needs {kind.__name__} and was given {got}",
            hint="look at the order of the steps of this task",
        )

    def advance(self, output: object) -> Payload:
        """The payload for the next step."""
        return Payload(self.job, self.locator, self.page, self.task, output, self.parent)


class Grant(msgspec.Struct, frozen=True, array_like=True):
    """A permit for one request to a host, to be sent before `not_after`, or handed back unused.

    Attributes:
        host: `host:port` in lower case.
        not_after: seconds on this machine's monotonic clock.
        is_paced: the host has a delay, so its next grant waits for the report that this request was sent.
    """

    host: str
    not_after: float
    is_paced: bool = True


class Part(msgspec.Struct, frozen=True, array_like=True):
    """Encoded rows for one output file; `rows` is their number."""

    output: str
    rows: int
    body: bytes


class ToTask(msgspec.Struct, frozen=True):
    """The payload goes to the next step of its task, in this worker.

    Attributes:
        files: which its rows name from now on.
    """

    payload: Payload
    warnings: tuple[Failure, ...] = ()
    files: tuple[FileRef, ...] = ()


class ToFiles(msgspec.Struct, frozen=True):
    """The task waits, holding no thread, for files; then its step runs again, with their `Downloads`."""

    payload: Payload
    orders: tuple[FileOrder, ...]


class ToJobs(msgspec.Struct, frozen=True):
    """The task ends; its links become child jobs."""

    links: tuple[Link, ...]
    warnings: tuple[Failure, ...] = ()


class ToAppender(msgspec.Struct, frozen=True):
    """The task ends; its encoded rows go to the node's segment, and its links become child jobs."""

    parts: tuple[Part, ...]
    warnings: tuple[Failure, ...] = ()
    links: tuple[Link, ...] = ()


class ToGrant(msgspec.Struct, frozen=True):
    """The payload waits, holding no thread, for the grant of a request to `host`; then its step runs.

    Attributes:
        url: what the request asks for; empty if the payload's order says it.
        is_part: it asks for something that a page loads, which robots.txt says nothing of.
    """

    host: str
    payload: Payload
    url: str = ""
    is_part: bool = False


class ToSession(msgspec.Struct, frozen=True):
    """The payload waits, holding no thread, for a session with more logins than `version`."""

    session: str
    version: int
    payload: Payload


Handover = ToTask | ToFiles | ToJobs | ToAppender | ToGrant | ToSession
