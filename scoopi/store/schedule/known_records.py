"""KnownRecords: records of a map that are read again and again, and decoded only when they have changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from scoopi.store.record_codec import RecordCodec

Decoded = TypeVar("Decoded")


class KnownRecords(Generic[Decoded]):
    """The records that one kind of scan gave last: what is read again unchanged is not decoded again.

    Each pass of the scheduler reads all that is active, and most of it is as it was.

    Args:
        codec: decodes them; equal records are equal bytes.
    """

    def __init__(self, codec: RecordCodec[Decoded]) -> None:
        self._codec = codec
        self._known: dict[bytes, Decoded] = {}

    def read(self, found: Iterable[tuple[str, bytes]]) -> list[Decoded]:
        """Decode what a scan has found, in its order; what it has not found is forgotten.

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
