"""The values that JobStore takes and returns, and JobRecords: the records of jobs as canonical JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from scoopi.model.job import Count, JobPayload, JobState, StoredJob
from scoopi.store.ports import JOBS, PAYLOADS, Change, Store
from scoopi.store.record_codec import RecordCodec

ENDED_STATE_KEY = "E"


class NewJob(NamedTuple):
    """A job to put; `host` is `host:port` in lower case, or `file` for local files."""

    id: str
    host: str
    payload: JobPayload


class TakenJob(NamedTuple):
    """A job that this node has taken.

    Attributes:
        fence: number of this take.
        lost: how often the job was taken back from a dead node.
        tried: the reasons of the failed attempts before this one, in order.
        sent: whether a crashed process may have sent its request, which must not be sent twice.
    """

    id: str
    fence: int
    lost: int
    host: str
    payload: JobPayload
    tried: tuple[str, ...] = ()
    sent: bool = False


class Postponed(NamedTuple):
    """A job of this node whose page is to be loaded again later.

    Attributes:
        wait_ms: time until the next attempt, from now.
        reason: why the last attempt failed, in words.
    """

    id: str
    fence: int
    wait_ms: int
    reason: str


class WaitingJob(NamedTuple):
    """A job that waits at this node for another attempt, in `wait_ms` milliseconds."""

    id: str
    host: str
    wait_ms: int


class HeldJob(NamedTuple):
    """A job that this node has taken, according to the store."""

    id: str
    fence: int


class Ending(NamedTuple):
    """How a job ended that was taken with this fence: DONE, FAILED or SKIPPED."""

    id: str
    fence: int
    state: JobState


class Ended(msgspec.Struct, frozen=True, array_like=True):
    """Which incarnation ended a job, with which take, and how; this identifies the one frame that counts."""

    incarnation: str
    fence: Count
    state: JobState


class Reconciled(NamedTuple):
    """The result of `JobStore.reconcile`.

    Attributes:
        ended: number of jobs that were ended again, by their committed frame.
        handed_back: number of jobs that were made READY.
        gone: ids of jobs that this node holds although others have taken them back; each is reported once.
    """

    ended: int
    handed_back: int
    gone: frozenset[str] = frozenset()


def ready_state_key(host: str) -> str:
    """The state key of jobs that are READY for a host."""
    return f"R/{host}"


def taken_state_key(incarnation: str) -> str:
    """The state key of jobs that a node has taken."""
    return f"T/{incarnation}"


def waiting_state_key(incarnation: str) -> str:
    """The state key of jobs that are WAITING at a node for another attempt."""
    return f"W/{incarnation}"


def won(store: Store, changes: Sequence[Change]) -> list[Change]:
    """Make changes to jobs; return those that were won, in order.

    Raises:
        StoreError: the outcome is not known; call again with the same changes.
    """
    outcomes = store.cas_all(JOBS, changes) if changes else []
    return [change for change, outcome in zip(changes, outcomes, strict=True) if outcome.won]


class JobRecords:
    """Makes the records that one incarnation writes; each contains the incarnation and the fence.

    A method whose docstring is a move, as in `READY -> TAKEN`, takes the record before it and returns the new
    one.

    Source: ARCHITECTURE, protocol rules 1 and 2.
    """

    def __init__(self, incarnation: str) -> None:
        self._incarnation = incarnation
        self._taken_key = taken_state_key(incarnation)
        codec = RecordCodec(JOBS, StoredJob)
        self._payloads = RecordCodec(PAYLOADS, JobPayload, packed=True)
        self.read, self.encode = codec.read, codec.encode
        self.read_payload = self._payloads.read

    def payload(self, payload: JobPayload) -> bytes:
        """Encode a payload as msgpack."""
        return self._payloads.encode(payload)

    def new(self, host: str, payload: bytes) -> bytes:
        """The record of a new job, which is READY; `payload` is empty if it is stored separately."""
        key = ready_state_key(host)
        return self.encode(StoredJob(key, host, JobState.READY, self._incarnation, payload=payload))

    def as_taken(self, was: StoredJob) -> StoredJob:
        """READY -> TAKEN by this node."""
        return self._changed(was, state_key=self._taken_key, state=JobState.TAKEN, fence=was.fence + 1)

    def sending(self, was: StoredJob) -> bytes:
        """TAKEN by this node -> the same, with the note that its request is about to be sent."""
        return self._written(was, sent=True)

    def handed_back(self, was: StoredJob, sent: bool) -> bytes:
        """TAKEN -> READY; the fence stays, so that no two takes have the same number.

        Args:
            sent: whether its request may have been sent, which must not be sent twice.
        """
        return self._ready(was, sent=sent)

    def taken_back(self, was: StoredJob, counts: bool) -> bytes:
        """TAKEN by a dead node -> READY; `lost` is incremented if `counts`."""
        return self._ready(was, lost=was.lost + counts)

    def postponed(self, was: StoredJob, postponed: Postponed) -> bytes:
        """TAKEN by this node -> WAITING at this node; the failed attempt is added to `tried`."""
        tried = (*was.tried, postponed.reason)
        return self._waiting(was, tried=tried, wait_ms=postponed.wait_ms, sent=False)

    def adopted(self, was: StoredJob) -> bytes:
        """WAITING at a dead node -> WAITING at this node, for the whole time again."""
        return self._waiting(was)

    def due(self, was: StoredJob) -> bytes:
        """WAITING at this node -> READY."""
        return self._ready(was, wait_ms=0)

    def as_ended(self, was: StoredJob, ending: Ending) -> StoredJob:
        """TAKEN -> DONE, FAILED or SKIPPED."""
        return self._changed(was, state_key=ENDED_STATE_KEY, state=ending.state, fence=ending.fence)

    def is_mine(self, record: StoredJob, fence: int) -> bool:
        """Whether the job is TAKEN by this node with that fence."""
        return record.state_key == self._taken_key and record.fence == fence

    def waits_here(self, record: StoredJob) -> bool:
        """Whether the job is WAITING at this node."""
        return record.state_key == waiting_state_key(self._incarnation)

    def _ready(self, was: StoredJob, **fields: Any) -> bytes:
        return self._written(was, state_key=ready_state_key(was.host), state=JobState.READY, **fields)

    def _waiting(self, was: StoredJob, **fields: Any) -> bytes:
        key = waiting_state_key(self._incarnation)
        return self._written(was, state_key=key, state=JobState.WAITING, **fields)

    def _written(self, was: StoredJob, **fields: Any) -> bytes:
        return self.encode(self._changed(was, **fields))

    def _changed(self, was: StoredJob, **fields: Any) -> StoredJob:
        return msgspec.structs.replace(was, incarnation=self._incarnation, **fields)


class TakenRecords:
    """Caches the records of taken jobs as last written, on which the next change is conditional.

    Without an entry the record is read from the store. Thread-safe; the size is bounded by the number of
    jobs that the node holds.
    """

    def __init__(self) -> None:
        self._records: dict[str, tuple[int, bytes]] = {}

    def remember(self, job: str, fence: int, record: bytes) -> None:
        """Cache the record that the take with this fence has written."""
        self._records[job] = (fence, record)

    def of(self, job: str, fence: int) -> bytes | None:
        """The record that the take with this fence has written last; None if it is not cached."""
        known, record = self._records.get(job, (0, b""))
        return record if known == fence else None

    def forget(self, takes: Iterable[tuple[str, int]]) -> None:
        """Drop the cached records of takes, given as (job id, fence), that have ended."""
        for job, fence in takes:
            if self.of(job, fence) is not None:
                self._records.pop(job, None)
