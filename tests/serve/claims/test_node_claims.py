"""Nodes are claimed, ended and handed back under fences of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.errors import BusyRecordError, FencedError
from scoopi.model.schedule.run_node import RUN, RunNode
from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.serve.claims.node_claims import NodeClaims
from scoopi.serve.state import State
from scoopi.serve.workers.worker_registry import WorkerRegistry
from scoopi.store.schedule.record_keys import record_key
from tests.scheduler.scenarios.records import attempt_of
from tests.serve.conftest import NOW

PLACED = attempt_of(
    created=NOW,
    worker="a",
    fence=1,
    progress={RUN: "p-1"},
    nodes=(
        RunNode(number=2, status="placed", worker="b"),
        RunNode(number=3, status="placed", worker="b"),
    ),
)


@pytest.fixture
def state(tmp_path: Path) -> State:
    state = State(tmp_path / "scheduler")
    WorkerRegistry(state.store).put("b", ("default",), 2, is_external=False)
    assert state.store.write(None, PLACED)
    return state


def record(state: State) -> AttemptRecord:
    (found,) = state.store.get(AttemptRecord, [record_key(PLACED)]).values()
    return found


def test_a_worker_claims_what_is_placed_on_it_within_its_room(state: State) -> None:
    claims = NodeClaims(state.store, "b")
    assert NodeClaims(state.store, "other").claim(NOW, 9) == []
    (claim,) = claims.claim(NOW, 1)
    assert (claim.node, claim.fence, claims.left()[0].key) == (2, 1, claim.key)
    assert [each.node for each in claims.claim(NOW, 9)] == [3]
    assert claims.claim(NOW, 9) == []
    assert record(state).fence == 1


def test_nodes_are_claimed_of_attempts_that_were_just_read(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = state.store.open_attempts()
    monkeypatch.setattr(state.store, "open_attempts", lambda: pytest.fail("they are known"))
    assert [claim.node for claim in NodeClaims(state.store, "b").claim(NOW, 1, known)]


def test_a_worker_without_room_claims_nothing(state: State) -> None:
    WorkerRegistry(state.store).put("b", ("default",), 0, is_external=False)
    assert NodeClaims(state.store, "b").claim(NOW, 9) == []


def test_a_node_that_is_handed_back_is_claimed_with_the_next_fence(state: State) -> None:
    claims = NodeClaims(state.store, "b")
    (claim,) = claims.claim(NOW, 1)
    claims.hand_back(claim)
    assert record(state).nodes[0].status == "free"
    with pytest.raises(FencedError, match="p/!1/1 node 2 does not count any more"):
        claims.end(claim)


def test_a_node_that_has_ended_says_why_and_is_not_offered_again(state: State) -> None:
    claims = NodeClaims(state.store, "b")
    (claim,) = claims.claim(NOW, 1)
    claims.progress(claim, NOW)
    claims.end(claim, "killed by SIGKILL")
    node = record(state).nodes[0]
    assert (record(state).beat, node.status, node.explanation) == (NOW, "ended", "killed by SIGKILL")
    with pytest.raises(FencedError):
        claims.progress(claim, NOW)


def test_no_node_of_an_attempt_that_has_ended_is_claimed_or_ended(state: State) -> None:
    claims = NodeClaims(state.store, "b")
    (claim,) = claims.claim(NOW, 1)
    old = record(state)
    ended = replace(old, status="succeeded", phase="unsettled", version=old.version + 1)
    assert state.store.write(old, ended)
    assert claims.claim(NOW, 9) == claims.left() == []
    with pytest.raises(FencedError):
        claims.hand_back(claim)


def test_a_node_whose_record_keeps_changing_is_claimed_later(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*given: object) -> None:
        raise BusyRecordError("it keeps changing")

    claims = NodeClaims(state.store, "b")
    with monkeypatch.context() as patched:
        patched.setattr(state.store, "update", busy)
        assert claims.claim(NOW, 9) == []
    assert len(claims.claim(NOW, 9)) == 2
