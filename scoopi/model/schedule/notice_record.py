"""NoticeRecord: an event of a job that is reported to one target, once."""

from __future__ import annotations

from datetime import datetime

import msgspec

OPEN, CLOSED = "open", "closed"
"""Phases of notices."""


class NoticeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a job, for one target.

    Attributes:
        notice: its id: the job, the number of an attempt or `-`, the event, what distinguishes repeated ones,
            and a hash of the target.
        phase: `open` until it is sent, or has failed.
        event: a status of an attempt, a state of a job, or `missed`, `deadline`, `stuck`.
        attempt: the id of the attempt; empty if the event is one of the job.
        via: `python:module:function`, or the words of a command.
        bundle: the definitions whose folder the target is looked up in.
        holder: who sends it at the moment; empty if nobody does.
        until: when the holder is taken for dead, and another one may send it.
        failure: why it was not sent; empty if it was.
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
