"""RunRetention: what is kept of a run ends, whichever node dies over it, by real records and the registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scoopi.errors import StoreError
from scoopi.model.job import JobState
from scoopi.store import ports
from scoopi.store.jobs.finished_jobs import RememberedEnds
from scoopi.store.jobs.job_records import Ended
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.ports import PAYLOADS, RUN_MAPS, Outcome, Store, StoreMap
from scoopi.store.runs.known_run import PREFIX
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.runs.run_retention import RunRetention
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.faulty_store import Faults, FaultyStore, NodeDied, Write

RUN = "shop"
SECONDS = 60
ENDS = {f"{number:032x}": Ended("n1", 1, JobState.DONE) for number in range(3)}
WRITES = 1 + 1 + (1 + 1 + 1 + 2) + 2 + 1 + (2 + 1) + 1
"""OVER; its noting; a pack, that all are packed, a removal, their ends; those of two membership; of a
payload; of the run's records and canary; that all have one."""


class Timed:
    """A store that remembers which record was given an end, and how often."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.ends: list[tuple[StoreMap, str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        assert seconds in (SECONDS, 2 * SECONDS)
        self.ends += [(store_map, key) for key in keys if not key.startswith(PREFIX)]

    def endless(self) -> list[tuple[StoreMap, str]]:
        """Records of the run that stay for ever."""
        return [
            (name, key)
            for name in RUN_MAPS
            for key, _ in self.inner.scan(name, None, 1000)
            if (name, key) not in self.ends and not key.startswith(PREFIX)
        ]


class Meanwhile(FaultyStore):
    """Before one of its writes something else happens."""

    def __init__(self, inner: Store, at: int, happens: Callable[[], None]) -> None:
        super().__init__(inner, Faults())
        self._at = at
        self._happens = happens

    def _made(self, write: Write, make: Callable[[Write], Outcome]) -> Outcome:
        if self.writes == self._at:
            self._happens()
        return super()._made(write, make)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Timed]:
    """A run whose last node is about to leave; its maps and those of no run are one store here."""
    timed = Timed(SettlingStore(SqliteStore(tmp_path / "store.db")))
    store: Store = timed
    registry_of(store).enter(RUN, SECONDS)
    registry_of(store).keep_alive.end(RUN)
    timed.ends.clear()
    RunRecord(store, "n1").create("incarnation")
    for node in ("ann", "bob"):
        Membership(store, node, node).beat(NodeLoad(0, True), NodeStatus.LEFT)
    RememberedEnds(store).remember(ENDS)
    # As a node leaves it that dies between a payload and the record of a job that has ended before.
    store.put_if_absent_all(PAYLOADS, [(next(iter(ENDS)), b"payload")])
    RunRecord(store, "n1").to_ending()
    yield timed
    timed.close()


def phase_of(store: Store) -> RunPhase | None:
    state = RunRecord(store, "n1").read()
    return None if state is None else state.phase


def registry_of(store: Store) -> RunRegistry:
    return RunRegistry(store, lambda maps: phase_of(store), lambda maps: None, "n1")


def retention(store: Store, run: str, maps: str) -> RunRetention:
    registry = registry_of(store)
    return RunRetention(
        store, SECONDS, lambda: registry.note_over(run, maps), lambda: registry.note_ends(run, maps)
    )


def leave(inner: Store) -> None:
    """What the last node does."""
    store = SettlingStore(inner)
    RunRecord(store, "n1").to_over()
    retention(store, RUN, RUN).begin()


def sweep(inner: Store) -> None:
    """What a node does that begins later."""
    store = SettlingStore(inner)
    registry_of(store).sweep(lambda run, maps: retention(store, run, maps).begin())


def is_over(kept: Timed) -> bool:
    return phase_of(kept) is RunPhase.OVER


def test_the_writes_of_the_last_node_to_leave_are_as_many_as_are_tried_here(kept: Timed) -> None:
    living = FaultyStore(kept, Faults())
    leave(living)
    assert living.writes == WRITES
    assert kept.endless() == []


@pytest.mark.parametrize(("seconds", "later_s"), [(10, 10), (3600, 3600), (10 * 86_400, 3600)])
def test_other_records_outlive_the_run_record_as_long_as_it_is_kept_and_an_hour_at_most(
    kept: Timed, monkeypatch: pytest.MonkeyPatch, seconds: int, later_s: int
) -> None:
    ends: dict[StoreMap, set[int]] = {}

    def noted(store_map: StoreMap, keys: Sequence[str], given_s: int) -> None:
        ends.setdefault(store_map, set()).add(given_s)

    monkeypatch.setattr(kept, "set_ttl_all", noted)
    RunRetention(kept, seconds).begin()
    assert ends.pop(ports.RUN) == {seconds}
    assert [*ends.values()] == [{seconds + later_s}] * 3


@pytest.mark.parametrize("writes", range(WRITES + 1))
def test_where_the_last_node_dies_over_it_the_next_one_lets_all_end_and_nobody_does_it_again(
    kept: Timed, writes: int
) -> None:
    store: Store = kept
    with suppress(NodeDied):
        leave(FaultyStore(store, Faults(dies_after=writes)))
    sweep(store)
    if not is_over(kept):
        assert (writes, kept.ends) == (0, []), "a run that is not over is left alone"
        return
    assert kept.endless() == []
    done = list(kept.ends)
    sweep(store)
    sweep(store)
    assert kept.ends == done
    if writes == WRITES:
        assert len(done) == len(set(done)), "a later node had nothing to do"


@pytest.mark.parametrize("seed", range(20))
def test_it_is_done_however_many_die_over_it(kept: Timed, seed: int) -> None:
    random, store = Random(seed), kept
    with suppress(NodeDied):
        leave(FaultyStore(store, Faults(dies_after=random.randrange(1, WRITES))))
    for _ in range(5):
        with suppress(NodeDied):
            sweep(FaultyStore(store, Faults(dies_after=random.randrange(WRITES))))
    sweep(store)
    assert kept.endless() == []


@pytest.mark.parametrize("writes", range(1, WRITES))
def test_the_last_node_may_live_and_do_it_at_the_same_time(kept: Timed, writes: int) -> None:
    store: Store = kept
    with suppress(StoreError):  # the ends were packed while they were read: it is warned of, and done already
        leave(Meanwhile(store, writes, lambda: sweep(store)))
    assert kept.endless() == []
    done = list(kept.ends)
    sweep(store)
    assert kept.ends == done


@pytest.mark.parametrize(
    "faults",
    [Faults(lose_first_answers=True), Faults(deliver_twice=True), Faults(torn=0.3, lost_answers=0.2)],
    ids=["answers lost", "writes doubled", "torn"],
)
def test_a_network_that_loses_and_doubles_leaves_none_behind(kept: Timed, faults: Faults) -> None:
    faulty = FaultyStore(kept, faults, seed=1)
    with suppress(StoreError):
        leave(faulty)
    for _ in range(5):
        with suppress(StoreError):
            sweep(faulty)
    assert kept.endless() == []
