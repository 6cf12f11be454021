"""Bytes are kept as they are, not as text, by the format that the store uses for them."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from scoopi.model.schedule.stored_bytes import BundlePart, KeptLog

DATA = bytes(range(256)) * 4


def test_a_part_and_a_log_take_the_room_of_their_bytes_and_little_more() -> None:
    part = BundlePart(parts=1, data=DATA, deployed=datetime(2026, 1, 1, tzinfo=UTC))
    for record in (part, KeptLog(fence=1, before=0, data=DATA)):
        packed = msgspec.msgpack.encode(record)
        assert len(packed) < len(DATA) + 100
        assert msgspec.msgpack.decode(packed, type=type(record)) == record
