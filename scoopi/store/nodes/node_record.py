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
    """What a node has done and is doing.

    Attributes:
        takes: how often it has begun to take jobs; incremented before the store is called.
        idle: whether it holds no job, is taking none, and has no pending write.
        owes_rows: whether it leaves before all rows that it has committed are in its files.
        pages: number of pages that it has loaded.
        given: marks of the jobs that its workers have; see `marks_of`.
        retry_ms: time until the first of its waiting jobs is due, in milliseconds; 0 if none waits.
    """

    takes: int
    idle: bool
    owes_rows: bool = False
    pages: int = 0
    given: bytes = b""
    retry_ms: int = 0


class NodeRecord(msgspec.Struct, frozen=True):
    """What a node reports with each heartbeat; the fields that are not listed here are those of its Load.

    Attributes:
        node: id of the node.
        number: number of the heartbeat.
        start: number of earlier incarnations of the node.
        failed: number of heartbeats that were not acknowledged; it makes the next one differ from the last
            one, which may have been written after all.
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
    """Concatenated digests of a few bytes per job, so that heartbeats stay small."""
    return b"".join(map(_mark, islice(jobs, MOST_MARKS)))


def are_marked(marks: bytes, jobs: Iterable[str]) -> set[str]:
    """The jobs whose mark is among the marks."""
    known = {marks[at : at + MARK_BYTES] for at in range(0, len(marks), MARK_BYTES)}
    return {job for job in jobs if _mark(job) in known} if known else set()


def _mark(job: str) -> bytes:
    return blake2b(job.encode(), digest_size=MARK_BYTES).digest()


class NodeScan(NamedTuple):
    """The result of reading all heartbeats once.

    Attributes:
        at: when it began, as monotonic time of the watcher in seconds.
        dead: incarnations that have crashed.
        left: incarnations that have shut down gracefully.
        live: number of the others, including the watcher's own.
        idle: whether all live ones are idle.
    """

    at: float
    dead: frozenset[str]
    left: frozenset[str]
    live: int
    idle: bool = False
