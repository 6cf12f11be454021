"""What JobStore is given and answers with."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from scoopi.model.job import Count, JobPayload, JobState


class NewJob(NamedTuple):
    """A job to be put; `host` is `host:port` in lower case, `file` for local files."""

    id: str
    host: str
    payload: JobPayload


class TakenJob(NamedTuple):
    """A job that this node has taken.

    Attributes:
        fence: number of this take.
        lost: how often the job was taken back from a dead node.
    """

    id: str
    fence: int
    lost: int
    host: str
    payload: JobPayload


class HeldJob(NamedTuple):
    """A job that is taken by this node, by the store."""

    id: str
    fence: int


class Ending(NamedTuple):
    """How a taken job ended: DONE or FAILED."""

    id: str
    fence: int
    state: JobState


class Ended(msgspec.Struct, frozen=True, array_like=True):
    """Which node ended a job, with which take, and how; identifies the one frame that counts."""

    incarnation: str
    fence: Count
    state: JobState


class Reconciled(NamedTuple):
    """What reconciling did, and found.

    Attributes:
        ended: jobs ended again by their committed frame.
        handed_back: jobs made READY.
        gone: jobs that this node holds and others have taken back; each is named once.
    """

    ended: int
    handed_back: int
    gone: frozenset[str] = frozenset()
