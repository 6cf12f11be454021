"""The run record: made once, moved forward only, and missed when it is gone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from scoopi.errors import RunError, StoreError
from scoopi.store.nodes.node_record import NodeRecord, NodeStatus
from scoopi.store.ports import (
    ENDED,
    HOSTS,
    JOBS,
    NODES,
    PAYLOADS,
    RUN,
    Change,
    Outcome,
    Store,
    StoreMap,
)
from scoopi.store.runs.run_record import RunCancel, RunPhase, RunRecord, RunState
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.faulty_store import Faults, FaultyStore


@pytest.fixture
def run(store: Store) -> RunRecord:
    return RunRecord(store, "ann", canaries=("canary/0", "canary/1"))


def test_a_store_without_record_does_not_know_the_run(run: RunRecord) -> None:
    assert run.read() is None
    assert run.has_lost("r1")
    with pytest.raises(RunError, match="does not know"):
        run.mark_seeded()


def test_a_run_is_made_once_whichever_node_makes_it(run: RunRecord, store: Store) -> None:
    made = run.create("r1")
    assert made == RunState("r1", RunPhase.RUNNING, False, "ann")
    assert RunRecord(store, "bob").create("r2") == made
    assert not run.has_lost("r1")


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
    assert run.has_lost("r1")


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
        (NODES, "n1", sleeper()),
    ],
)
def test_a_run_record_that_is_gone_once_the_run_has_begun_is_not_made_again(
    run: RunRecord, store: Store, store_map: StoreMap, key: str, record: bytes
) -> None:
    store.put_if_absent_all(store_map, [(key, record)])
    with pytest.raises(RunError, match="data is lost"):
        run.create("r1")
    assert run.has_lost_any()
    assert store.scan(RUN, None, 9) == ([(key, record)] if store_map is RUN else [])


def test_what_stands_before_the_run_record_keeps_nobody_from_making_it(run: RunRecord, store: Store) -> None:
    waits = msgspec.json.encode(NodeRecord("bob", 3, NodeStatus.LIVE, takes=0, idle=True))
    store.put_if_absent_all(NODES, [("n1", waits)])
    before = [(key, b"r1") for key in ("composed/setup", "barricade/setup", "cancel", "canary/0")]
    store.put_if_absent_all(RUN, before)
    assert not run.has_lost_any()
    assert run.create("r1").incarnation == "r1"
    assert not run.has_lost_any()


def test_another_runs_record_means_that_data_is_lost(run: RunRecord, store: Store) -> None:
    run.create("r2")
    assert run.has_lost("r1")
    store.delete_all(RUN, ["canary/1"])
    store.put_if_absent_all(RUN, [("canary/1", b"r1")])
    assert run.has_lost("r2")


def test_a_lost_canary_stays_lost(run: RunRecord, store: Store) -> None:
    run.create("r1")
    store.delete_all(RUN, ["canary/1"])
    run.create("r1")
    assert run.has_lost("r1")


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


def test_a_cancel_is_for_the_nodes_that_take_part_when_it_is_asked_for(store: Store) -> None:
    ann, bob, user = (RunCancel(store, name) for name in ("ann", "bob", "user"))
    ann.listen()
    assert not ann.is_asked()
    for _ in range(2):
        user.ask()
        assert ann.is_asked()
    bob.listen()
    assert not bob.is_asked(), "it resumes the run"
    ann.listen()
    user.ask()
    assert ann.is_asked()
    assert bob.is_asked()


def test_a_cancel_is_recorded_with_how_often_the_run_was_cancelled(store: Store) -> None:
    eve = RunCancel(store, "eve")
    for number in (1, 2):
        RunCancel(store, f"user-{number}").ask()
        record = store.get_all(RUN, ["cancel"])["cancel"]
        assert msgspec.json.decode(record) == {"number": number, "by": f"user-{number}"}
        assert eve.is_asked(), "it has not listened yet, so each request is for it"


def test_two_that_cancel_a_run_at_the_same_moment_both_succeed(tmp_path: Path) -> None:
    class Overtaken(SqliteStore):
        """Another process cancels before each of the first writes."""

        others = 0

        def put_if_absent_all(
            self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]
        ) -> list[Outcome]:
            self._overtake()
            return super().put_if_absent_all(store_map, records)

        def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
            self._overtake()
            return super().cas_all(store_map, changes)

        def _overtake(self) -> None:
            if self.others:
                self.others -= 1
                RunCancel(self, "other").ask()

    store = Overtaken(tmp_path / "overtaken.db")
    node = RunCancel(store, "ann")
    for others in (1, 3):
        node.listen()
        store.others = others
        RunCancel(store, "user").ask()
        assert (node.is_asked(), store.others) == (True, 0)
    store.close()


def test_a_run_record_that_is_rejected_without_another_one_is_made_by_the_next_try(
    tmp_path: Path,
) -> None:
    class Rejecting(SqliteStore):
        rejects = True

        def put_if_absent_all(
            self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]
        ) -> list[Outcome]:
            if self.rejects and records[0][0] == "run":
                return [Outcome(False, None)]
            return super().put_if_absent_all(store_map, records)

    store = Rejecting(tmp_path / "rejecting.db")
    run = RunRecord(store, "ann")
    with pytest.raises(StoreError, match="the run record was rejected, but none exists"):
        run.create("r1")
    store.rejects = False
    assert run.create("r1").incarnation == "r1"
    store.close()
