"""MemberHeaps: warns while a run is seeded if the members lack the heap for it."""

from __future__ import annotations

import logging
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from scoopi.errors import ClusterError, StoreError
from scoopi.store.cluster.cluster_client import ClusterClient

VERSION = 1
MOST_BYTES = 4_000_000
"""Maximum size of a decompressed blob; some 300 metrics take 20 KB."""
_HEAD = struct.Struct(">hi")
_INT = struct.Struct(">i")
_WORD = struct.Struct(">iBB")
_LONG, _DOUBLE = struct.Struct(">q"), struct.Struct(">d")
_WORDS, _UNIT, _TARGETS, _TAGS = 4, 4, 5, 6
"""Bits for what is the same as in the previous metric: four words, of which the first two are its name."""
log = logging.getLogger(__name__)
JOB_BYTES = 300
"""Heap per ended job until the run is over; a job that has not ended is packed, and takes less."""
SMALL_SHARE = 0.1
"""A run that needs no more than this share of the heap causes no warning, as used heap may be garbage."""
_MB = 1 << 20
_READ_METRICS = 0x200100
_LATEST = 0


def read_metrics(blob: bytes) -> dict[tuple[str, str], float]:
    """Decode a member's metrics: (prefix, name) -> value, as in ("memory", "freeHeap").

    Of several values under one name the last one counts.

    Raises:
        ValueError: the bytes are not a blob of metrics.
    """
    try:
        version, length = _HEAD.unpack_from(blob)
        if version != VERSION:
            raise ValueError(f"metrics of version {version}")
        words = _words(_inflated(blob[_HEAD.size : _HEAD.size + length]))
        at = _HEAD.size + length
        (count,) = _INT.unpack_from(blob, at)
        return dict(_figures(_inflated(blob[at + _INT.size :]), count, words))
    except (struct.error, zlib.error, IndexError, UnicodeDecodeError) as fault:
        raise ValueError(f"not a member's metrics: {fault}") from fault


def _inflated(packed: bytes) -> bytes:
    return zlib.decompressobj().decompress(packed, MOST_BYTES)


def _words(data: bytes) -> dict[int, str]:
    """Decode the dictionary: sorted words, each without the prefix that it shares with the one before."""
    words: dict[int, str] = {}
    (count,), at, last = _INT.unpack_from(data), _INT.size, ""
    for _ in range(count):
        number, shared, more = _WORD.unpack_from(data, at)
        at += _WORD.size
        last = words[number] = last[:shared] + data[at : at + 2 * more].decode("utf-16-be")
        at += 2 * more
    return words


def _figures(data: bytes, count: int, words: dict[int, str]) -> Iterator[tuple[tuple[str, str], float]]:
    at, now = 0, [""] * _WORDS
    for _ in range(count):
        same = data[at]
        at += 1
        for place in range(_WORDS):
            if not same >> place & 1:
                now[place] = words.get(_INT.unpack_from(data, at)[0], "")
                at += _INT.size
        at += (not same >> _UNIT & 1) + (not same >> _TARGETS & 1)
        if not same >> _TAGS & 1:
            at += 1 + data[at] * 2 * _INT.size
        value = _DOUBLE if data[at] else _LONG
        yield (now[0], now[1]), float(value.unpack_from(data, at + 1)[0])
        at += 1 + value.size


class Heap(NamedTuple):
    """The heap of one member."""

    free_bytes: int
    max_bytes: int


class MemberHeaps:
    """Warns while a run is seeded if the members lack the heap for it.

    Asks members as Hazelcast's Management Center does, which works with the open-source edition, too.
    Members that collect no metrics (`hazelcast.metrics.enabled: false`) are left out.
    """

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._has_warned = False

    def read(self) -> list[Heap]:
        """Ask the members that this node is connected to for their heaps; the figures are some seconds old.

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
        # One backup on another member, the default of `backup-count`.
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
    """The invocation that asks the member of a connection; the client has no API for it."""
    from hazelcast.invocation import Invocation
    from hazelcast.protocol import client_message
    from hazelcast.protocol.builtin import FixSizedTypesCodec

    words: Any = client_message
    codec: Any = FixSizedTypesCodec
    question: Any = Invocation
    uuid_at = words.REQUEST_HEADER_SIZE
    latest_at = uuid_at + words.UUID_SIZE_IN_BYTES
    buffer = words.create_initial_buffer(latest_at + words.LONG_SIZE_IN_BYTES, _READ_METRICS, True)
    codec.encode_uuid(buffer, uuid_at, connection.remote_uuid)
    codec.encode_long(buffer, latest_at, _LATEST)
    message = words.OutboundMessage(buffer, True)
    return question(message, connection=connection, response_handler=_frames)


def _frames(message: Any) -> list[bytes]:
    """The frames of the response: blobs of metrics, oldest first, and others."""
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
