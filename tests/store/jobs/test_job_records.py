"""JobRecords: each transition names its incarnation and keeps the fence; TakenRecords: a cache of takes."""

from __future__ import annotations

import msgspec

from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import Ending, JobRecords, Postponed, TakenRecords

HOST = "one.example:80"
ANN, BOB = JobRecords("ann"), JobRecords("bob")


def test_the_life_of_a_job_is_one_record_that_changes() -> None:
    new = ANN.read("j", ANN.new(HOST, b"payload"))
    assert (new.state_key, new.state, new.fence, new.lost) == (f"R/{HOST}", JobState.READY, 0, 0)
    taken = BOB.as_taken(new)
    assert (taken.state_key, taken.state, taken.fence, taken.incarnation) == (
        "T/bob",
        JobState.TAKEN,
        1,
        "bob",
    )
    assert ANN.read("j", BOB.encode(taken)) == taken
    assert BOB.is_mine(taken, 1)
    assert not BOB.is_mine(taken, 2)
    assert not ANN.is_mine(taken, 1)
    ended = BOB.as_ended(taken, Ending("j", 1, JobState.FAILED))
    assert ANN.read("j", BOB.encode(ended)) == ended
    assert (ended.state_key, ended.state, ended.fence) == ("E", JobState.FAILED, 1)
    assert ended.payload == b"payload"


def test_a_job_that_goes_back_keeps_its_fence_and_counts_only_if_its_node_died() -> None:
    taken = BOB.as_taken(ANN.read("j", ANN.new(HOST, b"")))
    back = ANN.read("j", BOB.handed_back(taken, sent=False))
    assert (back.state_key, back.fence, back.lost) == (f"R/{HOST}", 1, 0)
    assert ANN.read("j", ANN.taken_back(taken, counts=False)).lost == 0
    assert ANN.read("j", ANN.taken_back(taken, counts=True)).lost == 1
    assert ANN.as_taken(back).fence == 2


def test_a_job_that_waits_counts_its_attempts_and_is_adopted_with_the_whole_wait() -> None:
    taken = BOB.as_taken(ANN.read("j", ANN.new(HOST, b"")))
    waiting = ANN.read("j", BOB.postponed(taken, Postponed("j", 1, 500, "timeout")))
    assert (waiting.state_key, waiting.state, waiting.wait_ms) == ("W/bob", JobState.WAITING, 500)
    assert waiting.tried == ("timeout",)
    assert BOB.waits_here(waiting)
    adopted = ANN.read("j", ANN.adopted(waiting))
    assert (adopted.state_key, adopted.wait_ms, adopted.tried) == ("W/ann", 500, ("timeout",))
    assert not BOB.waits_here(adopted)
    due = ANN.read("j", ANN.due(adopted))
    assert (due.state_key, due.state, due.wait_ms, due.tried) == (
        f"R/{HOST}",
        JobState.READY,
        0,
        ("timeout",),
    )


def test_a_payload_is_read_as_it_was_written() -> None:
    payload = JobPayload(Locator("page", "group", "/a"), "seed", page=3)
    assert ANN.read_payload("j", BOB.payload(payload)) == payload
    assert BOB.payload(payload) == msgspec.msgpack.encode(payload), "which nodes of other versions read"


def test_a_job_whose_request_was_sent_may_send_it_again_once_it_failed() -> None:
    taken = BOB.as_taken(ANN.read("j", ANN.new(HOST, b"")))
    sending = ANN.read("j", BOB.sending(taken))
    assert (taken.sent, sending.sent) == (False, True)
    assert not ANN.read("j", BOB.postponed(sending, Postponed("j", 1, 500, "timeout"))).sent
    assert ANN.read("j", ANN.taken_back(sending, counts=True)).sent, "its node may have died with the answer"


def test_a_take_is_remembered_by_its_fence() -> None:
    taken = TakenRecords()
    assert taken.of("a", 1) is None
    taken.remember("a", 1, b"one")
    taken.remember("a", 2, b"two")
    assert (taken.of("a", 1), taken.of("a", 2)) == (None, b"two")
    taken.forget([("a", 1), ("b", 1)])
    assert taken.of("a", 2) == b"two"
    taken.forget([("a", 2)])
    assert taken.of("a", 2) is None
