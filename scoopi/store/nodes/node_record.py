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
"""Bytes for each job in `NodeLoad.given`."""
MOST_MARKS = 2000
"""Number of jobs, at most, in `NodeLoad.given`."""


class NodeStatus(StrEnum):
    """The state of a node: LIVE; LEFT, after a graceful shutdown; DEAD, as another node has found.

    A DEAD node is LIVE again when it sends a heartbeat.
    """

    LIVE = "LIVE"
    LEFT = "LEFT"
    DEAD = "DEAD"


class NodeLoad(NamedTuple):
    """What a node has done and is doing.

    Attributes:
        takes: how often the node has begun to take jobs; incremented before the store is called.
        idle: whether the node holds no job, is taking none, and has no pending write.
        owes_rows: whether the node leaves before all rows that it has committed are in its files.
        pages: number of pages that the node has loaded.
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
    """What a node reports with each heartbeat; the fields that are not listed here are those of `NodeLoad`.

    Attributes:
        node: id of the node.
        number: number of the heartbeat, from 0.
        state: whether the node is live, has left, or is dead.
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
    """Short digests of the first `MOST_MARKS` job ids, concatenated, so that heartbeats stay small."""
    return b"".join(map(_mark, islice(jobs, MOST_MARKS)))


def marked_among(marks: bytes, jobs: Iterable[str]) -> set[str]:
    """The ids among `jobs` whose digest is in `marks`, as made by `marks_of`."""
    known = {marks[at : at + MARK_BYTES] for at in range(0, len(marks), MARK_BYTES)}
    return {job for job in jobs if _mark(job) in known} if known else set()


def _mark(job: str) -> bytes:
    return blake2b(job.encode(), digest_size=MARK_BYTES).digest()


class NodeScan(NamedTuple):
    """The result of reading all heartbeats once.

    Attributes:
        at: when the read began, as monotonic time of the reader in seconds.
        dead: incarnations that are dead.
        left: incarnations that have shut down gracefully.
        live: number of the other incarnations, including the reader's own.
        idle: whether all live incarnations are idle.
    """

    at: float
    dead: frozenset[str]
    left: frozenset[str]
    live: int
    idle: bool = False
