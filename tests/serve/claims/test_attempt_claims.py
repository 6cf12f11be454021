"""Workers claim attempts under a fence; what an earlier holder writes is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from scoopi.errors import BusyRecordError, StateRefusedError, UsageError
from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.scheduler.decisions import changed
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.workers.worker_registry import WorkerRegistry
from tests.serve.conftest import NOW, Deployed

EXTERNAL = {"p": "x"}
ONE = "processes: {p: {executes: external:x, retry: {stale_after: 1h}}}"


def launched(state: State, count: int = 1) -> AttemptClaims:
    for _ in range(count):
        ProcessService(state, NOW).launch("p", {})
    state.passes.run(NOW)
    WorkerRegistry(state.store).put("w", ("default",), 2, is_external=True)
    return AttemptClaims(state.store)


def claimed(claims: AttemptClaims) -> AttemptRecord:
    (attempt,) = claims.claim("w", NOW, EXTERNAL)
    return attempt


def test_a_worker_claims_the_oldest_first_and_no_more_than_it_has_room_for(deployed: Deployed) -> None:
    claims = launched(deployed(ONE), 3)
    first = claims.claim("w", NOW, EXTERNAL, limit=9)
    assert [attempt.slot for attempt in first] == ["!1", "!2"]
    assert claims.claim("w", NOW, EXTERNAL, limit=9) == []
    claims.end(first[0], None, "succeeded", NOW)
    assert [attempt.slot for attempt in claims.claim("w", NOW, EXTERNAL)] == ["!3"]


def test_the_end_of_an_attempt_moves_its_job_in_the_next_pass(deployed: Deployed) -> None:
    state = deployed(ONE)
    claims = launched(state)
    claims.end(claimed(claims), 1, "succeeded", NOW, outputs={"rows": "7"})
    assert state.store.jobs(["p/!1"])["p/!1"].state == "in_progress"
    state.passes.run(NOW)
    assert state.store.jobs(["p/!1"])["p/!1"].state == "processed"
    assert state.store.attempts_of("p/!1")[0].outputs == {"rows": "7"}


def test_calls_of_an_earlier_holder_are_refused_by_the_fence(deployed: Deployed) -> None:
    state = deployed(ONE)
    claims = launched(state)
    attempt = claimed(claims)
    state.passes.run(NOW + timedelta(hours=2))
    assert claims.claim("w", NOW, EXTERNAL) == []  # it is offered again after the delay of a retry
    state.passes.run(NOW + timedelta(hours=2, minutes=15))
    again = claimed(claims)
    assert again.fence == 2
    outdated = "has fence 2 and is running; 1 is outdated"
    with pytest.raises(StateRefusedError, match=outdated):
        claims.progress(attempt, 1, NOW)
    with pytest.raises(StateRefusedError, match=outdated):
        claims.end(attempt, 1, "succeeded", NOW)
    claims.end(again, 2, "succeeded", NOW)
    with pytest.raises(StateRefusedError, match=r"p/!1/1 is over \(succeeded\)") as refused:
        claims.end(again, 2, "failed", NOW)
    assert "running or canceling" in refused.value.hint, "the states that allow it"


def test_what_no_worker_has_claimed_cannot_be_reported_on(deployed: Deployed) -> None:
    state = deployed(ONE)
    claims = launched(state)
    (attempt,) = state.store.attempts_of("p/!1")
    refused = pytest.raises(StateRefusedError, match="p/!1/1 is waiting, and no worker has it")
    with refused:
        claims.progress(attempt, None, NOW)
    with refused:
        claims.end(attempt, 0, "succeeded", NOW)
    assert state.store.attempts_of("p/!1") == [attempt]


def test_an_attempt_that_is_not_ready_is_offered_again_and_has_not_failed(deployed: Deployed) -> None:
    state = deployed(ONE)
    claims = launched(state)
    claims.end(claimed(claims), None, "not_ready", NOW)
    state.passes.run(NOW + timedelta(seconds=9))
    assert claims.claim("w", NOW, EXTERNAL) == []
    state.passes.run(NOW + timedelta(seconds=10))
    again = claimed(claims)
    assert (again.number, again.fence) == (1, 2)
    assert state.store.jobs(["p/!1"])["p/!1"].failures == 0


@pytest.mark.parametrize("outcome", ["", "error"])
@pytest.mark.parametrize("is_known", [True, False], ids=["seen", "not seen"])
def test_a_cancelled_attempt_that_was_not_ready_is_over(
    deployed: Deployed, *, outcome: str, is_known: bool
) -> None:
    state = deployed(ONE)
    claims = launched(state)
    attempt = claimed(claims)
    wished = changed(attempt, wish="cancel", wish_mode="drain", wished=NOW, outcome=outcome)
    assert state.store.write(attempt, wished)
    ended = claims.end(wished if is_known else attempt, 1, "not_ready", NOW, explanation="no file")
    assert (ended.status, ended.phase) == (outcome or "canceled", "unsettled")
    state.passes.run(NOW)
    (read,) = state.store.attempts_of("p/!1")
    assert read.status == ended.status
    assert state.store.jobs(["p/!1"])["p/!1"].state == ("failed" if outcome else "skipped")


def test_an_attempt_is_canceling_from_when_its_worker_has_seen_the_cancel(deployed: Deployed) -> None:
    state = deployed(ONE)
    claims, later = launched(state), NOW + timedelta(minutes=1)
    attempt = claimed(claims)
    assert claims.progress(attempt, 1, NOW).status == "running"
    JobService(state, NOW, str).cancel("p/!1", "drain")
    assert state.store.attempts_of("p/!1")[0].status == "running"
    seen = claims.progress(attempt, 1, NOW, {"pages": 3})
    assert (seen.status, seen.wish_seen, seen.progress) == ("canceling", NOW, {"pages": 3})
    again = claims.see_wish(attempt, later)
    assert (again.status, again.wish_seen) == ("canceling", NOW)
    assert claims.claim("w", NOW, EXTERNAL) == []
    assert claims.end(attempt, 1, "canceled", later).status == "canceled"
    with pytest.raises(StateRefusedError, match="is over"):
        claims.see_wish(attempt, later)


def test_an_attempt_that_is_handed_back_while_it_is_canceling_is_over(deployed: Deployed) -> None:
    state = deployed(ONE)
    claims = launched(state)
    attempt = claimed(claims)
    JobService(state, NOW, str).cancel("p/!1", "step")
    claims.see_wish(attempt, NOW)
    claims.hand_back(attempt, NOW)
    assert state.store.attempts_of("p/!1")[0].status == "canceled"


def test_an_unknown_worker_claims_nothing(deployed: Deployed) -> None:
    claims = launched(deployed(ONE))
    with pytest.raises(UsageError, match="unknown worker v"):
        claims.claim("v", NOW, EXTERNAL)


@pytest.mark.parametrize(
    ("settings", "seconds"), [("{}", 30), ("{worker: {claim_after: 5m}}", 300)], ids=["by default", "as set"]
)
def test_a_worker_of_the_group_claims_what_another_leaves_lying(
    deployed: Deployed, settings: str, seconds: int
) -> None:
    process = "p: {executes: {command: ['true']}, groups: [a]}"
    state = deployed(f"settings: {settings}\nprocesses: {{{process}}}")
    claims = AttemptClaims(state.store)
    for name, groups, capacity in (("w1", ("a",), 3), ("w2", ("a",), 1), ("w3", ("b",), 3)):
        WorkerRegistry(state.store).put(name, groups, capacity, is_external=False)
    ProcessService(state, NOW).launch("p", {})
    state.passes.run(NOW)
    schedule, late = state.current()[1], NOW + timedelta(seconds=seconds + 1)
    assert claims.claim("w2", NOW + timedelta(seconds=seconds), schedule=schedule) == []
    assert claims.claim("w3", late, schedule=schedule) == []
    assert claims.claim("w2", late) == []
    (attempt,) = claims.claim("w2", late, schedule=schedule)
    assert (attempt.worker, attempt.fence) == ("w2", 1)
    assert claims.claim("w1", late, schedule=schedule) == []


def test_the_time_in_which_an_attempt_ran_is_left_out_of_its_wait_when_it_waits_again(
    deployed: Deployed,
) -> None:
    claims = launched(deployed(ONE))
    hour = timedelta(hours=1)
    claims.hand_back(claimed(claims), NOW + hour)
    (again,) = claims.claim("w", NOW + 3 * hour, EXTERNAL)
    assert again.queued == NOW + hour
    released = claims.end(again, None, "not_ready", NOW + 5 * hour, explanation="no file")
    assert (released.queued, released.status, released.explanation) == (NOW + 3 * hour, "pending", "no file")


def test_an_attempt_whose_record_keeps_changing_holds_up_no_other_claim(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    claims = launched(state, 2)
    write = state.store.write

    def written(old: Any, new: Any) -> bool:
        if new.slot == "!1":
            raise BusyRecordError("it keeps changing")
        return write(old, new)

    with monkeypatch.context() as patched:
        patched.setattr(state.store, "write", written)
        assert [attempt.slot for attempt in claims.claim("w", NOW, EXTERNAL, limit=9)] == ["!2"]
    assert [attempt.slot for attempt in claims.claim("w", NOW, EXTERNAL, limit=9)] == ["!1"]


def test_of_attempts_that_were_just_read_those_that_have_changed_since_are_not_claimed(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = deployed(ONE)
    claims = launched(state, 2)
    known = state.store.open_attempts()
    claims.claim("w", NOW, EXTERNAL)
    monkeypatch.setattr(state.store, "open_attempts", lambda: pytest.fail("they are known"))
    (claim,) = claims.claim("w", NOW, EXTERNAL, limit=9, known=known)
    assert (claim.slot, claim.fence) == ("!2", 1)
