"""The run record: made once, moved forward only, and missed when it is gone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from scoopi.errors import RunError
from scoopi.store.nodes.node_record import NodeRecord, NodeStatus
from scoopi.store.ports import ENDED, HOSTS, JOBS, MEMBERS, PAYLOADS, RUN, Store, StoreMap
from scoopi.store.runs.run_record import RunPhase, RunRecord, RunState
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.faulty_store import Faults, FaultyStore


@pytest.fixture
def run(store: Store) -> RunRecord:
    return RunRecord(store, "ann", canaries=("canary/0", "canary/1"))


def test_a_store_without_record_does_not_know_the_run(run: RunRecord) -> None:
    assert run.read() is None
    assert run.lost("r1")
    with pytest.raises(RunError, match="does not know"):
        run.mark_seeded()


def test_a_run_is_made_once_whichever_node_makes_it(run: RunRecord, store: Store) -> None:
    made = run.create("r1")
    assert made == RunState("r1", RunPhase.RUNNING, False, "ann")
    assert RunRecord(store, "bob").create("r2") == made
    assert not run.lost("r1")


def test_a_run_moves_forward_only(run: RunRecord, store: Store) -> None:
    run.create("r1")
    run.mark_seeded()
    run.mark_seeded()
    with pytest.raises(RunError, match="cannot be over"):
        run.to_over()
    bob = RunRecord(store, "bob")
    bob.to_ending()
    run.to_ending()
    assert run.read() == RunState("r1", RunPhase.ENDING, True, "bob")
    run.to_over()
    bob.to_ending()
    bob.to_over()
    assert run.read() == RunState("r1", RunPhase.OVER, True, "ann")


@pytest.mark.parametrize("is_over", [False, True])
def test_a_run_that_has_ended_is_reopened_with_all_that_was_seeded(
    run: RunRecord, store: Store, is_over: bool
) -> None:
    run.create("r1")
    run.mark_seeded()
    run.to_ending()
    if is_over:
        run.to_over()
    bob = RunRecord(store, "bob")
    bob.reopen()
    assert run.read() == RunState("r1", RunPhase.RUNNING, True, "bob")
    run.reopen()
    assert run.read() == RunState("r1", RunPhase.RUNNING, True, "bob"), "it is open already"


@pytest.mark.parametrize("gone", ["run", "canary/0", "canary/1"])
def test_a_missing_record_or_canary_means_that_data_is_lost(run: RunRecord, store: Store, gone: str) -> None:
    run.create("r1")
    store.delete_all(RUN, [gone])
    assert run.lost("r1")


def sleeper() -> bytes:
    return msgspec.json.encode(NodeRecord("bob", 3, NodeStatus.LEFT, takes=1, idle=True))


@pytest.mark.parametrize(
    ("store_map", "key", "record"),
    [
        (JOBS, "1", b'{"state_key":"E"}'),
        (PAYLOADS, "1", b"page"),
        (ENDED, "1", b"done"),
        (HOSTS, "a.test:80", b"{}"),
        (RUN, "composed/seed/r1", b"seeded"),
        (MEMBERS, "n1", sleeper()),
    ],
)
def test_a_run_record_that_is_gone_once_the_run_has_begun_is_not_made_again(
    run: RunRecord, store: Store, store_map: StoreMap, key: str, record: bytes
) -> None:
    store.put_if_absent_all(store_map, [(key, record)])
    with pytest.raises(RunError, match="data is lost"):
        run.create("r1")
    assert run.has_lost()
    assert store.scan(RUN, None, 9) == ([(key, record)] if store_map is RUN else [])


def test_what_stands_before_the_run_record_keeps_nobody_from_making_it(run: RunRecord, store: Store) -> None:
    waits = msgspec.json.encode(NodeRecord("bob", 3, NodeStatus.LIVE, takes=0, idle=True))
    store.put_if_absent_all(MEMBERS, [("n1", waits)])
    before = [(key, b"r1") for key in ("composed/setup", "barricade/setup", "cancel", "canary/0")]
    store.put_if_absent_all(RUN, before)
    assert not run.has_lost()
    assert run.create("r1").incarnation == "r1"
    assert not run.has_lost()


def test_another_runs_record_means_that_data_is_lost(run: RunRecord, store: Store) -> None:
    run.create("r2")
    assert run.lost("r1")
    store.delete_all(RUN, ["canary/1"])
    store.put_if_absent_all(RUN, [("canary/1", b"r1")])
    assert run.lost("r2")


def test_a_lost_canary_stays_lost(run: RunRecord, store: Store) -> None:
    run.create("r1")
    store.delete_all(RUN, ["canary/1"])
    run.create("r1")
    assert run.lost("r1")


def test_the_record_is_moved_though_answers_are_lost_and_writes_doubled(tmp_path: Path) -> None:
    faults = Faults(lose_first_answers=True, deliver_twice=True)
    store = SettlingStore(FaultyStore(SqliteStore(tmp_path / "store.db"), faults))
    run = RunRecord(store, "ann")
    run.create("r1")
    run.mark_seeded()
    run.to_ending()
    run.to_over()
    assert run.read() == RunState("r1", RunPhase.OVER, True, "ann")
    store.close()


def test_a_record_in_other_bytes_of_the_same_meaning_is_moved(run: RunRecord, store: Store) -> None:
    state = run.create("r1")
    store.delete_all(RUN, ["run"])
    store.put_if_absent_all(RUN, [("run", msgspec.json.format(msgspec.json.encode(state)))])
    run.mark_seeded()
    run.to_ending()
    assert run.read() == RunState("r1", RunPhase.ENDING, True, "ann")
