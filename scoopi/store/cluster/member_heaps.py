"""MemberHeaps: warns while a run is seeded if the members lack the heap for it."""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from scoopi.errors import ClusterError, StoreError
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.metrics_blob import read_metrics

log = logging.getLogger(__name__)

JOB_BYTES = 300
"""What a job takes when it has ended, until the run is over; before, packed, it takes less."""
SMALL_SHARE = 0.1
"""A run that needs no more than this part of the heap is passed over: what looks used may be garbage."""
_MB = 1 << 20
_READ_METRICS = 0x200100
_LATEST = 0
_UUID_SIZE, _LONG_SIZE = 17, 8


class Heap(NamedTuple):
    """Of one member."""

    free_bytes: int
    max_bytes: int


class MemberHeaps:
    """Asks members as Hazelcast's Management Center does; the open-source edition answers that too.

    Members that collect no metrics (`hazelcast.metrics.enabled: false`) are left out.
    """

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._has_warned = False

    def read(self) -> list[Heap]:
        """Of the members that this node is connected to; as they were some seconds ago.

        Raises:
            StoreError, ClusterError: see `ClusterClient.refuse`.
        """
        found = (_heap(blobs) for blobs in self._client.ask_members(_question))
        return [heap for heap in found if heap is not None]

    def warn_of(self, jobs: int) -> None:
        """Log a warning, once, if a run of that many jobs needs more heap than the members have free."""
        if self._has_warned:
            return
        try:
            heaps = self.read()
        except (StoreError, ClusterError) as error:
            log.info("the members' heap is not known: %s", error.what)
            return
        # A copy on another member, as is the default of `backup-count`.
        copies = min(2, len(self._client.members()))
        need = jobs * JOB_BYTES * copies // max(1, len(self._client.members()))
        least = min(heaps, key=lambda heap: heap.free_bytes, default=None)
        if least is not None and need > max(least.free_bytes, least.max_bytes * SMALL_SHARE):
            self._has_warned = True
            log.warning(
                "%d jobs need about %d MB of each member's heap, and %d of %d MB are free: "
                "give the members more heap (-Xmx), or split the run",
                jobs,
                need // _MB,
                least.free_bytes // _MB,
                least.max_bytes // _MB,
            )


def _question(connection: Any) -> Any:
    """What asks the member of that connection; the client has no words of its own for it."""
    from hazelcast.invocation import Invocation
    from hazelcast.protocol import client_message
    from hazelcast.protocol.builtin import FixSizedTypesCodec

    words: Any = client_message
    codec: Any = FixSizedTypesCodec
    question: Any = Invocation
    uuid_at = words.REQUEST_HEADER_SIZE
    latest_at = uuid_at + _UUID_SIZE
    buffer = words.create_initial_buffer(latest_at + _LONG_SIZE, _READ_METRICS, True)
    codec.encode_uuid(buffer, uuid_at, connection.remote_uuid)
    codec.encode_long(buffer, latest_at, _LATEST)
    message = words.OutboundMessage(buffer, True)
    return question(message, connection=connection, response_handler=_frames)


def _frames(message: Any) -> list[bytes]:
    """A head, then what was collected, oldest first, between frames that hold something else."""
    message.next_frame()
    frames = []
    while message.has_next_frame():
        frames.append(bytes(message.next_frame().buf))
    return frames


def _heap(frames: list[bytes]) -> Heap | None:
    for frame in reversed(frames):
        try:
            figures = read_metrics(frame)
            return Heap(int(figures["memory", "freeHeap"]), int(figures["memory", "maxHeap"]))
        except (ValueError, KeyError):
            continue
    return None
