"""HostPauses: what a process has left alone is left alone by the one that resumes its run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.errors import StoreError
from scoopi.politeness.host_pauses import HostPauses
from scoopi.store.ports import RUN
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.clock import Clock
from tests.store.memory_store import AwayStore

HOST, OTHER = "a.example:80", "b.example:80"
ProcessOf = Callable[..., HostPauses]


@pytest.fixture
def process(tmp_path: Path, clock: Clock) -> ProcessOf:
    """Starts a process of the run, whose monotonic clock is `ahead` of the time of day."""
    store = SqliteStore(tmp_path / "store.db")

    def start(name: str, ahead: float = 0.0) -> HostPauses:
        rests = HostPauses(store, name, lambda: None, lambda: clock.now + ahead, clock)
        rests.round()
        return rests

    return start


def test_a_pause_holds_for_the_time_that_is_left(process: ProcessOf, clock: Clock) -> None:
    first = process("one")
    first.note(HOST, 60.0)
    first.round()
    clock.now += 20
    second = process("two", ahead=5000)
    assert second.until(HOST) == pytest.approx(clock.now + 5000 + 40)
    assert second.until(OTHER) == 0.0
    clock.now += 10
    second.note(OTHER, 60.0)
    second.round()
    third = process("three")
    assert third.until(HOST) == pytest.approx(clock.now + 30), "what the second has learned is kept by it"
    clock.now += 50
    assert process("four").until(HOST) == 0.0


def test_the_last_pause_of_a_host_counts(process: ProcessOf, clock: Clock) -> None:
    first = process("one")
    for pause_s in (5.0, 10.0, 20.0):
        first.note(HOST, pause_s)
        first.round()
    assert process("two").until(HOST) == pytest.approx(clock.now + 20)


def test_a_time_of_day_that_was_set_back_makes_no_pause_longer(process: ProcessOf, clock: Clock) -> None:
    first = process("one")
    first.note(HOST, 60.0)
    first.round()
    clock.now -= 500
    assert process("two").until(HOST) == pytest.approx(clock.now + 60)


def test_pauses_are_kept_after_a_write_whose_outcome_was_not_known(clock: Clock) -> None:
    memory = AwayStore([RUN])
    store = SettlingStore(memory)
    rests = HostPauses(store, "one", lambda: None, clock, clock)
    rests.note(HOST, 60.0)
    rests.round()
    memory.is_away = True
    rests.note(HOST, 90.0)
    with pytest.raises(StoreError):
        rests.round()
    memory.is_away = False
    for pause_s in (120.0, 150.0):
        rests.note(HOST, pause_s)
        rests.round()
    later = HostPauses(store, "two", lambda: None, clock, clock)
    later.round()
    assert later.until(HOST) == pytest.approx(clock.now + 150)


def test_a_pause_requests_a_round_at_once(tmp_path: Path, clock: Clock) -> None:
    woken: list[str] = []
    rests = HostPauses(SqliteStore(tmp_path / "store.db"), "one", lambda: woken.append("round"), clock, clock)
    rests.round()
    assert woken == []
    rests.note(HOST, 60.0)
    assert woken == ["round"]


def test_of_the_pauses_that_several_processes_note_for_a_host_the_last_to_end_counts(
    process: ProcessOf, clock: Clock
) -> None:
    for first, pause_s in (("a", 20.0), ("b", 60.0), ("c", 40.0)):
        rests = process(first)
        rests.note(HOST, pause_s)
        rests.round()
    assert process("d").until(HOST) == pytest.approx(clock.now + 60)


def test_a_pause_is_over_at_its_end(process: ProcessOf, clock: Clock) -> None:
    first = process("one")
    first.note(HOST, 60.0)
    first.round()
    clock.now += 59.5
    assert process("two").until(HOST) == pytest.approx(clock.now + 0.5)
    clock.now += 0.5
    assert process("three").until(HOST) == 0.0


def test_pauses_are_read_from_all_processes_and_from_no_other_record_of_the_run(
    tmp_path: Path, clock: Clock
) -> None:
    store = SqliteStore(tmp_path / "store.db")
    others = [(key, b"something else") for key in ("a", "rest", "rests.", "rests0", "rests0/x", "zz")]
    first = HostPauses(store, "0000", lambda: None, clock, clock)
    first.note(HOST, 60.0)
    first.round()
    (record,) = store.get_all(RUN, ["rests/0000"]).values()
    copies = [(f"rests/{number:04}", record) for number in range(1, 520)]
    store.put_if_absent_all(RUN, [*others, *copies])
    last = HostPauses(store, "0520", lambda: None, clock, clock)
    last.note(OTHER, 30.0)
    last.round()
    later = HostPauses(store, "later", lambda: None, clock, clock)
    later.round()
    assert later.until(HOST) == pytest.approx(clock.now + 60)
    assert later.until(OTHER) == pytest.approx(clock.now + 30)


def test_what_has_not_changed_is_not_written_again(clock: Clock) -> None:
    memory = AwayStore([RUN])
    rests = HostPauses(SettlingStore(memory), "one", lambda: None, clock, clock)
    rests.note(HOST, 60.0)
    rests.round()
    memory.is_away = True
    rests.round()
