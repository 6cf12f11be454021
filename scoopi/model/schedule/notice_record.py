"""NoticeRecord: an event of a job that is sent to one target, once."""

from __future__ import annotations

from datetime import datetime

import msgspec

OPEN, CLOSED = "open", "closed"
"""Phases of notices."""


class NoticeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a job that is sent to one target, once.

    Attributes:
        notice: its id: the job, the number of the attempt or `-`, the event, what distinguishes repeated
            events, and a hash of the target.
        phase: `open` until it is sent or has failed, then `closed`.
        event: a status of an attempt, a state of a job, or `missed`, `deadline`, `stuck`.
        via: the target: `python:module:function`, or the words of a command.
        bundle: the digest of the definitions that contain the target.
        attempt: the id of the attempt; empty if the event is one of the job.
        holder: incarnation of the worker that is sending it; empty if none is.
        until: when the holder is presumed dead, and another one may send it.
        failure: why sending failed; empty if it did not.
    """

    notice: str
    phase: str
    event: str
    process: str
    slot: str
    at: datetime
    via: tuple[str, ...]
    bundle: str
    attempt: str = ""
    reason: str = ""
    holder: str = ""
    until: datetime | None = None
    closed: datetime | None = None
    failure: str = ""
    version: int = 0

    @property
    def job(self) -> str:
        """The id of its job."""
        return f"{self.process}/{self.slot}"
