"""KnownRecords: what is read again unchanged is the same object, and what has changed is decoded."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from scoopi.errors import RecordError
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.store.record_codec import RecordCodec
from scoopi.store.schedule.known_records import KnownRecords
from scoopi.store.schedule.schedule_store import PROCESSES

CODEC = RecordCodec(PROCESSES, ProcessRecord)
BOOKS = ProcessRecord(name="books", since=datetime(2026, 1, 1, tzinfo=UTC))
CLEAN = replace(BOOKS, name="clean")


def stored(*records: ProcessRecord) -> list[tuple[str, bytes]]:
    return [(record.name, CODEC.encode(record)) for record in records]


def test_a_record_that_is_as_it_was_is_not_decoded_again() -> None:
    known = KnownRecords(CODEC)
    first = known.read(stored(BOOKS, CLEAN))
    changed = replace(BOOKS, requests=1)
    second = known.read(stored(changed, CLEAN))
    assert (first, second) == ([BOOKS, CLEAN], [changed, CLEAN])
    assert second[1] is first[1]
    assert second[0] is not first[0]


def test_a_record_that_is_gone_is_forgotten() -> None:
    known = KnownRecords(CODEC)
    (first,) = known.read(stored(BOOKS))
    assert known.read([]) == []
    (again,) = known.read(stored(BOOKS))
    assert again == first
    assert again is not first


def test_what_is_not_a_record_is_an_error_each_time_and_changes_nothing() -> None:
    known = KnownRecords(CODEC)
    (first,) = known.read(stored(BOOKS))
    for _ in range(2):
        with pytest.raises(RecordError, match="process"):
            known.read([*stored(BOOKS), ("clean", b"?")])
    assert known.read(stored(BOOKS))[0] is first
