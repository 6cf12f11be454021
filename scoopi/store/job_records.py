"""Records of jobs as bytes: canonical JSON, so that equal records are equal bytes."""

from __future__ import annotations

import msgspec

from scoopi.model.job import JobPayload, JobRecord, JobState
from scoopi.store.job_values import Ending

ENDED_SLOT = "E"


def ready_slot(host: str) -> str:
    """The slot of jobs that wait for a host."""
    return f"R/{host}"


def taken_slot(incarnation: str) -> str:
    """The slot of jobs that a node has taken."""
    return f"T/{incarnation}"


class JobRecords:
    """Makes the records that one incarnation writes; every one holds it and the fence.

    Source: design, "Protocol", rules 1 and 2.
    """

    def __init__(self, incarnation: str) -> None:
        self._incarnation = incarnation
        self._encoder = msgspec.json.Encoder(order="sorted")
        self._record = msgspec.json.Decoder(JobRecord)
        self._to_payload = msgspec.msgpack.Encoder()
        self._payload = msgspec.msgpack.Decoder(JobPayload)

    def read(self, record: bytes) -> JobRecord:
        """The record of a job."""
        return self._record.decode(record)

    def read_payload(self, record: bytes) -> JobPayload:
        """The record of the map of payloads."""
        return self._payload.decode(record)

    def payload(self, payload: JobPayload) -> bytes:
        """The payload as msgpack."""
        return self._to_payload.encode(payload)

    def new(self, host: str, payload: bytes) -> bytes:
        """A job that waits to be taken for the first time; `payload` is empty when it stands apart."""
        return self._ready(JobRecord("", host, JobState.READY, "", payload=payload))

    def taken(self, was: JobRecord) -> bytes:
        """READY -> TAKEN by this node."""
        return self._written(was, taken_slot(self._incarnation), JobState.TAKEN, was.fence + 1)

    def handed_back(self, was: JobRecord) -> bytes:
        """TAKEN -> READY; the fence stays, so that no take has the number of another."""
        return self._ready(was)

    def taken_back(self, was: JobRecord, counts: bool) -> bytes:
        """TAKEN by a dead node -> READY."""
        return self._ready(was, was.lost + counts)

    def ending(self, was: JobRecord, ending: Ending) -> bytes:
        """TAKEN -> DONE or FAILED."""
        return self._written(was, ENDED_SLOT, ending.state, ending.fence)

    def is_mine(self, record: JobRecord, fence: int) -> bool:
        """Whether this node holds the job with that fence."""
        return record.slot == taken_slot(self._incarnation) and record.fence == fence

    def _ready(self, was: JobRecord, lost: int | None = None) -> bytes:
        return self._written(was, ready_slot(was.host), JobState.READY, was.fence, lost)

    def _written(
        self, was: JobRecord, slot: str, state: JobState, fence: int, lost: int | None = None
    ) -> bytes:
        lost = was.lost if lost is None else lost
        return self._encoder.encode(
            JobRecord(slot, was.host, state, self._incarnation, fence, lost, was.payload)
        )
