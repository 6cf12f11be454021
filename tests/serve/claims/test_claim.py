"""A claim counts as long as its attempt, or its node, has its fence and runs."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from scoopi.model.schedule.run_node import RunNode
from scoopi.scheduler.placing.run_nodes import with_node
from scoopi.serve.claims.claim import Claim
from tests.serve.conftest import NOW
from tests.serve.work.specs.supervising import ATTEMPT

NODE = RunNode(number=2, status="running", worker="b", fence=5)
JOINED = replace(ATTEMPT, nodes=(NODE,))


def test_an_attempt_and_its_node_are_two_claims() -> None:
    first, second = Claim(JOINED), Claim(JOINED, 2)
    assert (first.name, second.name) == (ATTEMPT.attempt, f"{ATTEMPT.attempt} node 2")
    assert (first.fence, second.fence) == (ATTEMPT.fence, 5)
    assert first.key != second.key


def test_a_node_counts_until_it_is_claimed_elsewhere_or_its_attempt_is_over() -> None:
    claim = Claim(JOINED, 2)
    assert claim.counts_in(JOINED)
    assert claim.counts_in(replace(JOINED, status="waiting", fence=9))
    assert not claim.counts_in(with_node(JOINED, replace(NODE, fence=6)))
    assert not claim.counts_in(with_node(JOINED, replace(NODE, status="free")))
    assert not claim.counts_in(replace(JOINED, phase="unsettled"))
    assert not claim.counts_in(replace(JOINED, nodes=()))


def test_an_attempt_counts_until_its_fence_grows_or_it_is_over() -> None:
    claim = Claim(JOINED)
    assert claim.counts_in(replace(JOINED, status="running"))
    assert not claim.counts_in(replace(JOINED, status="running", fence=JOINED.fence + 1))
    assert not claim.counts_in(replace(JOINED, status="waiting"))


def test_a_claim_knows_its_worker_whether_it_exists_and_whether_it_is_over() -> None:
    first, second, third = (Claim(JOINED, number) for number in (1, 2, 3))
    assert [each.exists for each in (first, second, third)] == [True, True, False]
    assert (first.worker, second.worker, third.worker) == (ATTEMPT.worker, "b", "")
    assert (second.has_started, Claim(with_node(JOINED, replace(NODE, fence=0)), 2).has_started) == (
        True,
        False,
    )
    assert not second.is_over
    assert Claim(with_node(JOINED, replace(NODE, status="ended")), 2).is_over
    assert Claim(replace(JOINED, status="succeeded"), 2).is_over


def test_a_claim_has_run_since_its_record_says_so() -> None:
    later = NOW + timedelta(seconds=90)
    running = replace(JOINED, started=NOW, nodes=(replace(NODE, started=NOW + timedelta(seconds=30)),))
    assert [Claim(running).seconds(later), Claim(running, 2).seconds(later)] == [90, 60]
    assert [Claim(JOINED, node).seconds(later) for node in (1, 2, 3)] == [0, 0, 0]
    assert Claim(running).seconds(NOW - timedelta(seconds=1)) == 0, "a clock that was set back"
