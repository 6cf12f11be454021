"""Records of jobs as bytes: canonical JSON, so that equal records are equal bytes."""

from __future__ import annotations

import msgspec

from scoopi.model.job import JobPayload, JobRecord, JobState
from scoopi.store.job_values import Ended, Ending

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
        self._ended = msgspec.json.Decoder(Ended)
        self._to_payload = msgspec.msgpack.Encoder()
        self._payload = msgspec.msgpack.Decoder(JobPayload)

    def read(self, record: bytes) -> JobRecord:
        """The record of a job."""
        return self._record.decode(record)

    def read_ended(self, record: bytes) -> Ended:
        """The record of the map `ended`."""
        return self._ended.decode(record)

    def read_payload(self, record: bytes) -> JobPayload:
        """The record of the map of payloads."""
        return self._payload.decode(record)

    def payload(self, payload: JobPayload) -> bytes:
        """The payload as msgpack."""
        return self._to_payload.encode(payload)

    def ended(self, ended: Ended) -> bytes:
        """The record of the map `ended`."""
        return self._encoder.encode(ended)

    def new(self, host: str) -> bytes:
        """A job that waits to be taken for the first time."""
        return self._ready(host, 0, 0)

    def taken(self, was: JobRecord) -> bytes:
        """READY -> TAKEN by this node."""
        slot, fence = taken_slot(self._incarnation), was.fence + 1
        record = JobRecord(slot, was.host, JobState.TAKEN, self._incarnation, fence, was.lost)
        return self._encoder.encode(record)

    def held(self, host: str, fence: int, lost: int) -> bytes:
        """The record that `taken` wrote for that fence."""
        return self.taken(JobRecord("", host, JobState.READY, "", fence - 1, lost))

    def handed_back(self, host: str, fence: int, lost: int) -> bytes:
        """TAKEN -> READY; the fence stays, so that no take has the number of another."""
        return self._ready(host, fence, lost)

    def taken_back(self, was: JobRecord, counts: bool) -> bytes:
        """TAKEN by a dead node -> READY."""
        return self._ready(was.host, was.fence, was.lost + counts)

    def ending(self, was: JobRecord, ending: Ending) -> bytes:
        """TAKEN -> DONE or FAILED."""
        record = JobRecord(ENDED_SLOT, was.host, ending.state, self._incarnation, ending.fence, was.lost)
        return self._encoder.encode(record)

    def is_mine(self, record: JobRecord, fence: int) -> bool:
        """Whether this node holds the job with that fence."""
        return record.slot == taken_slot(self._incarnation) and record.fence == fence

    def _ready(self, host: str, fence: int, lost: int) -> bytes:
        record = JobRecord(ready_slot(host), host, JobState.READY, self._incarnation, fence, lost)
        return self._encoder.encode(record)
