"""One node composes; the others use what it composed; a lost holder is replaced."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoopi.errors import ClusterError, StoppedError, StoreError
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.ports import RUN, Change, Outcome, Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.clock import Clock
from tests.store.faulty_store import Faults, FaultyStore, NodeDied


def never() -> bytes:
    raise AssertionError("must not compose")


def barricade(store: Store, node: str, lease_ms: int = 15_000, clock: Clock | None = None) -> Barricade:
    if clock is None:
        return Barricade(store, "definitions", node, lease_ms)
    return Barricade(store, "definitions", node, lease_ms, clock, sleep=clock.pass_s)


def test_a_node_that_finds_a_composed_value_uses_it(store: Store) -> None:
    assert barricade(store, "ann").composed() is None
    assert barricade(store, "ann").compose_once(lambda: b"ann's", 1000) == b"ann's"
    assert barricade(store, "bob").compose_once(never, 1000) == b"ann's"
    assert barricade(store, "bob").composed() == b"ann's"


def test_barricades_of_other_names_are_others(store: Store) -> None:
    Barricade(store, "one", "ann").compose_once(lambda: b"1", 1000)
    assert Barricade(store, "two", "ann").compose_once(lambda: b"2", 1000) == b"2"


def test_of_nodes_that_start_together_one_composes(store: Store) -> None:
    composed: list[str] = []
    values: list[bytes] = []
    together = threading.Barrier(4)

    def start(node: str) -> None:
        def compose() -> bytes:
            composed.append(node)
            return node.encode()

        together.wait(timeout=60)
        values.append(barricade(store, node, lease_ms=2000).compose_once(compose, 10_000))

    threads = [threading.Thread(target=start, args=(f"node{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(composed) == 1
    assert values == [composed[0].encode()] * 4


def test_a_holder_that_fails_releases_the_barricade_and_its_error_goes_out(store: Store) -> None:
    def fail() -> bytes:
        raise ValueError("bad definitions")

    with pytest.raises(ValueError, match="bad definitions"):
        barricade(store, "ann").compose_once(fail, 1000)
    assert barricade(store, "ann").composed() is None
    assert barricade(store, "bob").compose_once(lambda: b"bob's", 0) == b"bob's"


def test_a_holder_keeps_its_lease_while_it_composes(store: Store) -> None:
    """Ann composes for several lease times; Bob waits until she is done."""
    composing, waited = threading.Event(), threading.Event()

    def slowly() -> bytes:
        composing.set()
        assert not waited.wait(timeout=1)
        return b"ann's"

    ann = threading.Thread(target=barricade(store, "ann", lease_ms=400).compose_once, args=(slowly, 5000))
    ann.start()
    assert composing.wait(timeout=60)
    assert barricade(store, "bob", lease_ms=400).compose_once(never, 5000) == b"ann's"
    ann.join(timeout=60)


def test_a_lost_holder_is_replaced_and_its_late_value_does_no_harm(store: Store) -> None:
    """Ann's process stops with the lease held (nothing renews it), and comes back late."""
    store.put_if_absent_all(RUN, [("barricade/definitions", b'{"holder":"ann","number":3}')])
    clock = Clock()
    began = clock.now
    bob = barricade(store, "bob", lease_ms=400, clock=clock)
    assert bob.compose_once(lambda: b"bob's", 5000) == b"bob's"
    assert 0.4 <= clock.now - began < 1
    assert store.put_if_absent_all(RUN, [("composed/definitions", b"ann's")])[0].current == b"bob's"


def test_a_value_put_after_the_look_is_used_by_the_next_holder(store: Store) -> None:
    class PutMeanwhile(SettlingStore):
        def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
            if "barricade/definitions" in keys:
                self.put_if_absent_all(RUN, [("composed/definitions", b"ann's")])
            return super().get_all(store_map, keys)

    assert Barricade(PutMeanwhile(store), "definitions", "bob").compose_once(never, 1000) == b"ann's"


def test_waiting_for_a_live_holder_has_an_end(store: Store) -> None:
    store.put_if_absent_all(RUN, [("barricade/definitions", b'{"holder":"ann","number":3}')])
    with pytest.raises(ClusterError, match="composing definitions for 50 ms"):
        barricade(store, "bob").compose_once(never, 50)


def test_a_holder_is_waited_for_until_the_time_is_over_and_no_longer(store: Store) -> None:
    store.put_if_absent_all(RUN, [("barricade/definitions", b'{"holder":"ann","number":3}')])
    clock = Clock()
    began = clock.now
    with pytest.raises(ClusterError, match="composing definitions for 2500 ms"):
        barricade(store, "bob", clock=clock).compose_once(never, 2500)
    assert clock.now - began == pytest.approx(2.5)


def test_a_live_holder_is_waited_for_as_long_as_it_renews_its_lease(store: Store) -> None:
    """Ann seeds for 20 minutes; Bob would wait ten minutes for a lease that does not change."""
    clock = Clock()
    began = clock.now
    key, minutes = "barricade/definitions", 20
    store.put_if_absent_all(RUN, [(key, b'{"holder":"ann","number":0}')])

    def renewed_meanwhile(seconds: float) -> None:
        clock.pass_s(seconds)
        stands = store.get_all(RUN, [key])[key]
        number = int(clock.now - began)
        store.cas_all(RUN, [Change(key, stands, b'{"holder":"ann","number":%d}' % number)])
        if number >= minutes * 60:
            store.put_if_absent_all(RUN, [("composed/definitions", b"ann's")])

    bob = Barricade(store, "definitions", "bob", 15_000, clock, sleep=renewed_meanwhile)
    assert bob.compose_once(never, 600_000) == b"ann's"


@pytest.mark.parametrize("dies_after", range(4))
def test_a_holder_that_dies_between_any_two_writes_is_replaced(tmp_path: Path, dies_after: int) -> None:
    inner = SqliteStore(tmp_path / "store.db")
    dying = SettlingStore(FaultyStore(inner, Faults(dies_after=dies_after)))
    values = []
    try:
        values.append(barricade(dying, "ann").compose_once(lambda: b"ann's", 1000))
    except NodeDied:
        assert dies_after < 3
    values.append(barricade(inner, "bob", lease_ms=50).compose_once(lambda: b"bob's", 5000))
    assert values[-1] == (b"bob's" if dies_after < 2 else b"ann's")
    assert len(set(values)) == 1
    inner.close()


def test_one_value_stands_though_answers_are_lost_and_writes_doubled(tmp_path: Path) -> None:
    inner = SqliteStore(tmp_path / "store.db")
    faulty = SettlingStore(FaultyStore(inner, Faults(lose_first_answers=True, deliver_twice=True)))
    assert barricade(faulty, "ann").compose_once(lambda: b"ann's", 1000) == b"ann's"
    assert barricade(inner, "bob").compose_once(never, 1000) == b"ann's"
    inner.close()


def test_a_node_that_is_to_stop_does_not_wait_for_another_one(store: Store) -> None:
    store.put_if_absent_all(RUN, [("barricade/definitions", b'{"holder":"ann","number":3}')])
    clock = Clock()
    began = clock.now
    with pytest.raises(StoppedError):
        barricade(store, "bob", clock=clock).compose_once(never, 60_000, lambda: clock.now - began >= 1)
    assert clock.now - began < 2


@pytest.mark.parametrize(("lease_ms", "wait_s"), [(15_000, 0.2), (400, 0.1)])
def test_a_waiting_node_looks_several_times_within_a_lease(
    store: Store, lease_ms: int, wait_s: float
) -> None:
    store.put_if_absent_all(RUN, [("barricade/definitions", b'{"holder":"ann","number":3}')])
    clock, waits = Clock(), list[float]()

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock.pass_s(seconds)

    bob = Barricade(store, "definitions", "bob", lease_ms, clock, sleep)
    with pytest.raises(ClusterError):
        bob.compose_once(never, 250)
    assert waits == pytest.approx([wait_s, 0.25 - wait_s] if lease_ms > 400 else [wait_s, wait_s, 0.05])


def test_a_value_that_is_rejected_without_another_one_is_an_error_that_may_pass(store: Store) -> None:
    class Rejecting(SettlingStore):
        def put_if_absent_all(
            self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]
        ) -> list[Outcome]:
            if records[0][0].startswith("composed/"):
                return [Outcome(False, None)]
            return super().put_if_absent_all(store_map, records)

    with pytest.raises(StoreError, match="the value of definitions was rejected, but none exists"):
        Barricade(Rejecting(store), "definitions", "ann").compose_once(lambda: b"ann's", 1000)
    assert barricade(store, "bob").compose_once(lambda: b"bob's", 0) == b"bob's", "it was released"
