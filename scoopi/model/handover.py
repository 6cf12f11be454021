"""Handover: what a step answers with, and the grant of a request that a loader may ask for."""

from __future__ import annotations

import msgspec

from scoopi.model.failure import Failure
from scoopi.model.locator import Link
from scoopi.model.payload import Payload


class Grant(msgspec.Struct, frozen=True, array_like=True):
    """A permit for one request to a host, to be sent before `not_after`, or handed back unused.

    Attributes:
        host: `host:port` in lower case.
        not_after: seconds on this machine's monotonic clock.
    """

    host: str
    not_after: float


class Part(msgspec.Struct, frozen=True, array_like=True):
    """Encoded rows for one output file; `rows` is their number."""

    output: str
    rows: int
    body: bytes


class ToTask(msgspec.Struct, frozen=True):
    """The payload goes to the next step of its task, in this worker."""

    payload: Payload
    warnings: tuple[Failure, ...] = ()


class ToJobs(msgspec.Struct, frozen=True):
    """The task ends; its links become child jobs."""

    links: tuple[Link, ...]
    warnings: tuple[Failure, ...] = ()


class ToAppender(msgspec.Struct, frozen=True):
    """The task ends; its encoded rows go to the node's segment."""

    parts: tuple[Part, ...]
    warnings: tuple[Failure, ...] = ()


class ToGrant(msgspec.Struct, frozen=True):
    """The payload waits, holding no thread, for the grant of a request to `host`; then its step runs."""

    host: str
    payload: Payload


Handover = ToTask | ToJobs | ToAppender | ToGrant
