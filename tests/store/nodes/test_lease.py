"""A lease has one holder at a time; a dead holder is replaced, a live one is not."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from scoopi.errors import ClusterError, StoreError
from scoopi.store.nodes import lease as lease_module
from scoopi.store.nodes.lease import Lease, LeaseWatch
from scoopi.store.ports import RUN, Change, Outcome, Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.clock import Clock
from tests.store.faulty_store import Faults, FaultyStore

KEY, LEASE_MS = "lease/pass", 1000


def lease(store: Store, node: str, clock: Clock | None = None) -> Lease:
    return Lease(store, KEY, node, LEASE_MS, clock or Clock())


def test_a_lease_that_is_held_is_not_acquired_by_another_node(store: Store) -> None:
    assert lease(store, "ann").acquire()
    assert not lease(store, "bob").acquire()
    assert lease(store, "ann").acquire(), "its holder may acquire it again"


def test_a_released_lease_is_acquired_by_the_next_node(store: Store) -> None:
    ann = lease(store, "ann")
    assert ann.acquire()
    with ann.renewed():
        assert not lease(store, "bob").acquire()
    assert lease(store, "bob").acquire()


def test_a_holder_that_does_not_renew_is_replaced(store: Store) -> None:
    assert lease(store, "ann").acquire()
    clock = Clock()
    bob = lease(store, "bob", clock)
    assert not bob.acquire()
    clock.pass_s(LEASE_MS / 2000)
    assert not bob.acquire()
    clock.pass_s(LEASE_MS / 2000)
    assert bob.acquire()


def test_a_replaced_holder_does_not_take_the_lease_back_when_it_ends(store: Store) -> None:
    ann = lease(store, "ann")
    assert ann.acquire()
    clock = Clock()
    bob = lease(store, "bob", clock)
    with ann.renewed():
        standing = store.get_all(RUN, [KEY])[KEY]
        store.delete_all(RUN, [KEY])
        assert bob.acquire()
    assert not lease(store, "cid", clock).acquire()
    assert store.get_all(RUN, [KEY])[KEY] != standing


@pytest.mark.parametrize("faults", [Faults(lose_first_answers=True), Faults(deliver_twice=True)])
def test_a_lease_is_acquired_once_though_answers_are_lost_or_writes_doubled(
    tmp_path: Path, faults: Faults
) -> None:
    inner = SqliteStore(tmp_path / "store.db")
    ann = lease(SettlingStore(FaultyStore(inner, faults)), "ann")
    assert ann.acquire()
    assert not lease(SettlingStore(inner), "bob").acquire()
    with ann.renewed():
        pass
    assert lease(SettlingStore(inner), "bob").acquire()
    inner.close()


class AwayOnce(SqliteStore):
    """Gives no answer to the first change, and counts those that it makes."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.made = threading.Semaphore(0)
        self._is_away = True

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        if self._is_away:
            self._is_away = False
            raise StoreError("no answer in time")
        outcomes = super().cas_all(store_map, changes)
        self.made.release()
        return outcomes


def test_a_lease_is_still_renewed_after_the_store_was_away(tmp_path: Path) -> None:
    store = AwayOnce(tmp_path / "store.db")
    ann = Lease(store, KEY, "ann", 50)
    assert ann.acquire()
    with ann.renewed():
        for _ in range(2):
            assert store.made.acquire(timeout=60), "nothing was renewed"
    assert lease(store, "bob").acquire()
    store.close()


def test_no_two_records_of_a_lease_are_equal_as_they_count_its_writes(store: Store) -> None:
    ann, bob, records = lease(store, "ann"), lease(store, "bob"), []
    for each in (ann, ann, bob):
        each.acquire()
        records.append(msgspec.json.decode(store.get_all(RUN, [KEY])[KEY]))
    with ann.renewed():
        pass
    records.append(msgspec.json.decode(store.get_all(RUN, [KEY])[KEY]))
    assert records == [
        {"holder": "ann", "number": 0},
        {"holder": "ann", "number": 1},
        {"holder": "ann", "number": 1},
        {"holder": "", "number": 2},
    ]


def test_a_lease_that_was_lost_is_renewed_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Refusing(tmp_path / "store.db", ClusterError("the cluster is gone"), made=100)
    ann = Lease(store, KEY, "ann", 50)
    assert ann.acquire()
    store.delete_all(RUN, [KEY])
    with ann.renewed():
        (thread,) = (each for each in threading.enumerate() if each.name == "lease")
        thread.join(60)
        assert not thread.is_alive()
    assert store.get_all(RUN, [KEY]) == {}
    assert store.asked.acquire(blocking=False)
    assert not store.asked.acquire(blocking=False), "one renewal is enough to learn it"
    store.close()


def test_reads_that_follow_each_other_at_the_spacing_count_and_sooner_ones_do_not() -> None:
    clock = Clock()
    watch = LeaseWatch(LEASE_MS, clock, reads=2, spacing_ms=500)
    seen = []
    for pause_s in (0.0, 0.25, 0.25, 0.25, 0.25, 1.0):
        clock.pass_s(pause_s)
        seen.append(watch.is_lost(b"record"))
    assert seen == [False, False, False, False, True, True]
    assert not watch.is_lost(b"renewed")


def test_a_record_is_unchanged_for_as_long_as_the_lease_is_and_each_read_counts_without_a_spacing() -> None:
    clock = Clock()
    watch = LeaseWatch(LEASE_MS, clock)
    assert not watch.is_lost(b"record")
    clock.pass_s(0.9998)
    assert not watch.is_lost(b"record")
    clock.pass_s(0.0003)
    assert watch.is_lost(b"record")
    at_once = LeaseWatch(0, clock, reads=2)
    assert [at_once.is_lost(b"record") for _ in range(3)] == [False, False, True]


def test_reads_count_from_the_spacing_on_to_the_millisecond() -> None:
    clock = Clock()
    watch = LeaseWatch(0, clock, reads=2, spacing_ms=1000)
    seen = []
    for pause_s in (0.0, 0.9998, 0.0003, 0.9998, 0.0003):
        clock.pass_s(pause_s)
        seen.append(watch.is_lost(b"record"))
    assert seen == [False, False, False, False, True]


def test_a_lease_is_renewed_several_times_in_its_length(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    enough = threading.Event()

    class Hurried(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None
            waits.append(timeout)
            if len(waits) == 3:
                enough.set()
            return super().wait(0 if len(waits) < 3 else timeout)

    monkeypatch.setattr(lease_module, "threading", SimpleNamespace(Event=Hurried, Thread=threading.Thread))
    ann = lease(store, "ann")
    assert ann.acquire()
    with ann.renewed():
        assert enough.wait(60)
    assert 0 < sum(waits[:3]) < LEASE_MS / 1000


def test_a_lease_is_released_after_a_renewal_that_has_begun(tmp_path: Path) -> None:
    begun, released, order = threading.Event(), threading.Event(), list[str]()

    class Slow(SqliteStore):
        def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
            if threading.current_thread().name == "lease":
                begun.set()
                released.wait(0.1)
                order.append("renewed")
            else:
                released.set()
                order.append("released")
            return super().cas_all(store_map, changes)

    store = Slow(tmp_path / "store.db")
    ann = Lease(store, KEY, "ann", 50)
    assert ann.acquire()
    with ann.renewed():
        assert begun.wait(60)
    assert order[-2:] == ["renewed", "released"]
    assert lease(store, "bob").acquire()
    store.close()


class Refusing(SqliteStore):
    """Makes the first changes, then raises an error for each."""

    def __init__(self, path: Path, error: Exception, made: int = 0) -> None:
        super().__init__(path)
        self.error: Exception | None = error
        self.asked = threading.Semaphore(0)
        self._made = made

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        self.asked.release()
        if self._made or self.error is None:
            self._made -= 1
            return super().cas_all(store_map, changes)
        raise self.error


@pytest.mark.parametrize("error", [StoreError("no answer in time"), ClusterError("the cluster is gone")])
def test_what_fails_at_the_end_of_a_lease_is_left_to_its_expiry(tmp_path: Path, error: Exception) -> None:
    store, clock = Refusing(tmp_path / "store.db", error), Clock()
    ann = lease(store, "ann")
    assert ann.acquire()
    with ann.renewed():
        pass
    store.error = None
    bob = lease(store, "bob", clock)
    assert not bob.acquire()
    clock.pass_s(LEASE_MS / 1000)
    assert bob.acquire()
    store.close()


def test_a_lease_is_renewed_several_times_before_it_expires_and_no_longer_without_a_cluster(
    tmp_path: Path,
) -> None:
    store = Refusing(tmp_path / "store.db", ClusterError("the cluster is gone"), made=1)
    ann = Lease(store, KEY, "ann", 50)
    assert ann.acquire()
    with ann.renewed():
        (thread,) = (each for each in threading.enumerate() if each.name == "lease")
        assert thread.daemon, "a store that hangs keeps no process from ending"
        for _ in range(2):
            assert store.asked.acquire(timeout=60)
        thread.join(60)
        assert not thread.is_alive(), "the run ends anyway"
    store.close()


def test_a_read_that_failed_breaks_the_row_of_reads() -> None:
    clock = Clock()
    watch = LeaseWatch(LEASE_MS, clock, reads=2, spacing_ms=500)
    watch.is_lost(b"record")
    clock.pass_s(10)
    assert not watch.is_lost(b"record")
    watch.interrupt()
    seen = []
    for _ in range(2):
        clock.pass_s(10)
        seen.append(watch.is_lost(b"record"))
    assert seen == [False, True]


def test_what_a_node_last_read_of_a_lease_changes_while_its_holder_lives(store: Store) -> None:
    ann, bob = lease(store, "ann"), lease(store, "bob")
    assert bob.seen is None
    assert ann.acquire()
    seen: list[bytes | None] = []
    for _ in range(2):
        assert not bob.acquire()
        seen.append(bob.seen)
        assert ann.acquire()
    assert None not in seen
    assert seen[0] != seen[1]
