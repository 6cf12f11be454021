"""OwnRecord: what a process has written last is what the store holds, whatever came of a write before."""

from __future__ import annotations

import pytest

from scoopi.errors import StoreError
from scoopi.store.ports import RUN
from scoopi.store.runs.own_record import OwnRecord
from scoopi.store.settling_store import SettlingStore
from tests.store.memory_store import AwayStore


def test_a_later_process_continues_the_record_of_an_earlier_one(store: SettlingStore) -> None:
    for record in (b"1", b"2", b"2"):
        OwnRecord(store, "of-ann").write(record)
        assert store.get_all(RUN, ["of-ann"]) == {"of-ann": record}


def test_after_a_write_whose_outcome_was_not_known_the_record_is_read_again() -> None:
    memory = AwayStore([RUN])
    store = SettlingStore(memory)
    own = OwnRecord(store, "of-ann")
    own.write(b"1")
    memory.is_away = True
    with pytest.raises(StoreError):
        own.write(b"2")
    memory.is_away = False
    OwnRecord(store, "of-ann").write(b"2")  # as the lost write may still have done
    own.write(b"3")
    assert store.get_all(RUN, ["of-ann"]) == {"of-ann": b"3"}
