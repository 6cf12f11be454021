"""JobSeeder: every locator becomes one job, once a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from scoopi.engine import job_seeder
from scoopi.engine.job_seeder import JobSeeder
from scoopi.errors import RunError, StoreError
from scoopi.model.definitions import LocatorDef, LocatorGroup
from scoopi.store import retries
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.pages.job_store import JobStore
from scoopi.store.ports import Store
from scoopi.store.retries import RETRIED
from scoopi.store.run_maps import JOBS
from scoopi.store.runs.run_record import RunRecord

PARTS = [
    LocatorGroup("pages", tuple(LocatorDef(f"p{n}", f"http://a/{part}/{n}") for n in range(3)))
    for part in range(4)
]


def seeder_of(store: Store, node: str, timeout_s: float = 0.0) -> JobSeeder:
    record = RunRecord(store, node)
    record.create("run")
    barricade = Barricade(store, "seed", node, lease_ms=200)
    return JobSeeder(JobStore(store, node), record, lambda url: "a:80", barricade, "run", timeout_s)


def test_every_locator_becomes_a_job_and_the_run_is_marked(store: Store) -> None:
    assert seeder_of(store, "n1").seed(lambda: PARTS, lambda: False)
    assert len(store.scan(JOBS, "R/a:80", 100)) == 12
    state = RunRecord(store, "n2").read()
    assert state is not None
    assert state.seeded


def test_a_seeded_run_is_not_seeded_again(store: Store) -> None:
    assert seeder_of(store, "n1").seed(lambda: PARTS[:1], lambda: False)
    assert seeder_of(store, "n2").seed(lambda: pytest.fail("it unpacked the locators"), lambda: False)


def test_a_cancelled_seeding_leaves_the_run_unseeded_and_who_comes_next_puts_nothing_twice(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_seeder, "PUT_AT_ONCE", 3)
    put: list[LocatorGroup] = []

    def two_parts() -> Iterator[LocatorGroup]:
        for part in PARTS:
            yield part
            put.append(part)

    assert not seeder_of(store, "n1").seed(two_parts, lambda: len(put) == 2)
    state = RunRecord(store, "n1").read()
    assert state is not None
    assert not state.seeded
    assert len(store.scan(JOBS, "R/a:80", 100)) == 6
    assert seeder_of(store, "n2").seed(lambda: PARTS, lambda: False)
    assert len(store.scan(JOBS, "R/a:80", 100)) == 12


class Away:
    """A store whose next readings and writes fail, some of them after they were made."""

    def __init__(self, store: Store, hint: str = "") -> None:
        self._store = store
        self._hint = hint
        self.failing = 0

    def __getattr__(self, name: str) -> Any:
        answers = getattr(self._store, name)

        def call(*arguments: object) -> object:
            answer = answers(*arguments)
            if self.failing:
                self.failing -= 1
                raise StoreError("no answer in time", hint=self._hint)
            return answer

        return call


@pytest.mark.parametrize("failing", [1, 3, 6, 9])
def test_while_the_store_does_not_answer_seeding_is_tried_again(
    store: Store, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "MOST_PAUSE_S", 0.01)
    away = Away(store)
    seeder = seeder_of(cast(Store, away), "n1", timeout_s=60)
    away.failing = failing
    assert seeder.seed(lambda: PARTS, lambda: False)
    assert len(store.scan(JOBS, "R/a:80", 100)) == 12


@pytest.mark.parametrize(("timeout_s", "is_cancelled"), [(0.0, False), (60.0, True)])
def test_seeding_is_given_up_when_the_store_stays_away_or_the_node_is_to_stop(
    store: Store, timeout_s: float, is_cancelled: bool
) -> None:
    away = Away(store)
    seeder = seeder_of(cast(Store, away), "n1", timeout_s)
    away.failing = 1
    with pytest.raises(StoreError):
        seeder.seed(lambda: PARTS, lambda: is_cancelled)


def test_who_gives_up_seeding_says_so_and_after_how_long_and_promises_no_other_try(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "MOST_PAUSE_S", 0.01)
    away = Away(store, hint=RETRIED)
    seeder = seeder_of(cast(Store, away), "n1", timeout_s=0.05)
    away.failing = 10**6
    with pytest.raises(
        StoreError, match=r"seeding: this node gave up after 0 s: no answer in time"
    ) as caught:
        seeder.seed(lambda: PARTS, lambda: False)
    assert caught.value.hint.endswith("start this node again")


def test_a_run_that_the_store_has_lost_is_not_seeded_into_what_came_after_it(store: Store) -> None:
    record = RunRecord(store, "n1")
    barricade = Barricade(store, "seed", "n1", lease_ms=200)
    seeder = JobSeeder(JobStore(store, "n1"), record, lambda url: "a:80", barricade, "run")
    with pytest.raises(RunError, match="its data is lost"):
        seeder.seed(lambda: PARTS, lambda: False)
    record.create("another life of its name")
    with pytest.raises(RunError, match="its data is lost"):
        seeder.seed(lambda: PARTS, lambda: False)
    assert store.scan(JOBS, None, 100) == []
