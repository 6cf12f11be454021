"""KnownRecords: decodes records of a map that are read repeatedly only when they have changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from scoopi.store.record_codec import RecordCodec

Decoded = TypeVar("Decoded")


class KnownRecords(Generic[Decoded]):
    """Caches the decoded records of the last scan, so that unchanged ones are not decoded again.

    Each pass of the scheduler reads all active records, and most of them are unchanged.

    Args:
        codec: decodes the records; equal records are equal bytes.
    """

    def __init__(self, codec: RecordCodec[Decoded]) -> None:
        self._codec = codec
        self._known: dict[bytes, Decoded] = {}

    def read(self, found: Iterable[tuple[str, bytes]]) -> list[Decoded]:
        """Decode the records that a scan has found, in order; all others are dropped from the cache.

        Args:
            found: (key, record) for each.
        Raises:
            RecordError: the bytes of one are not a record of this kind.
        """
        known, now, records = self._known, {}, []
        for key, data in found:
            record = known.get(data)
            if record is None:
                record = self._codec.read(key, data)
            now[data] = record
            records.append(record)
        self._known = now
        return records
