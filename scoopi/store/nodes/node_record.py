"""NodeRecord: what a node reports with each heartbeat."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

import msgspec

from scoopi.model.job import Count

MARK_BYTES = 6
MOST_MARKS = 2000


class NodeStatus(StrEnum):
    """LIVE; LEFT: shut down gracefully; DEAD: marked by another node, until this one beats again."""

    LIVE = "LIVE"
    LEFT = "LEFT"
    DEAD = "DEAD"


class Load(NamedTuple):
    """What a node has done and does.

    Attributes:
        takes: how often it has begun to take jobs; grown before the store is asked.
        idle: it holds no job, is taking none, and has no write to make.
        owes_rows: it leaves, and not all rows that it has committed stand in its files.
        pages: pages that it has loaded.
        given: marks of the jobs that its workers have; see `marks_of`.
        retry_ms: time until the first of its waiting jobs is due; 0 if none waits.
    """

    takes: int
    idle: bool
    owes_rows: bool = False
    pages: int = 0
    given: bytes = b""
    retry_ms: int = 0


class NodeRecord(msgspec.Struct, frozen=True):
    """What a node reports with each heartbeat. `number` grows with each; the rest is its Load.

    Attributes:
        start: how many incarnations its node had before; the newest is what the node is now.
        failed: how many heartbeats were not acknowledged; so the next one differs from the one before,
            which may have been written after all.
    """

    node: str
    number: Count
    state: NodeStatus
    takes: Count
    idle: bool
    owes_rows: bool = False
    pages: Count = 0
    given: bytes = b""
    retry_ms: Count = 0
    failed: Count = 0
    start: Count = 0


def marks_of(jobs: Iterable[str]) -> bytes:
    """A few bytes for each of these jobs, one after the other: a heartbeat stays small."""
    return b"".join(map(_mark, islice(jobs, MOST_MARKS)))


def are_marked(marks: bytes, jobs: Iterable[str]) -> set[str]:
    """Those of the jobs that have their mark there."""
    known = {marks[at : at + MARK_BYTES] for at in range(0, len(marks), MARK_BYTES)}
    return {job for job in jobs if _mark(job) in known} if known else set()


def _mark(job: str) -> bytes:
    return blake2b(job.encode(), digest_size=MARK_BYTES).digest()


class Look(NamedTuple):
    """The result of one reading of all heartbeats.

    Attributes:
        at: when it began; the watcher's monotonic seconds.
        dead: incarnations that have crashed.
        left: incarnations that have left by a graceful shutdown.
        live: how many are neither, the watcher's own among them.
        idle: whether all of those are idle.
    """

    at: float
    dead: frozenset[str]
    left: frozenset[str]
    live: int
    idle: bool = False
