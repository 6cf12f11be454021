"""Heartbeat and JobRecovery: whose jobs are taken back, and how often; Departure: whose rows are awaited."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from scoopi.errors import ClusterError, RunError, ScoopiError, StoreError
from scoopi.mediator import heartbeat as heartbeats
from scoopi.mediator.heartbeat import Heartbeat, HeartbeatCalls
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.job_recovery import JobRecovery, RecoveryCalls
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import NewJob, TakenJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.departure import Departure
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus, marks_of
from scoopi.store.ports import NODES, Store, StoreMap
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.settling_store import SettlingStore
from tests.engine.workspace import wait_until

HOST, JOB, RUN = "127.0.0.1:80", "0" * 32, "run"
BEAT_MS, GAP_MS, LONG_MS = 20, 150, 3_600_000
LIMIT_S = 60.0
IDLE = NodeLoad(0, True)


@pytest.fixture
def store(store: SettlingStore) -> SettlingStore:
    """With one job, of a run that has begun."""
    RunRecord(store, "first").create(RUN)
    JobStore(store, "first").put([NewJob(JOB, HOST, JobPayload(Locator("acme", "books", HOST), JOB))])
    return store


@dataclass
class Node:
    """A node that takes back what others leave."""

    heartbeat: Heartbeat
    departure: Departure


def node_of(
    store: SettlingStore,
    round_s: float = 60,
    beat_ms: int = BEAT_MS,
    gap_ms: int = GAP_MS,
    on_rest: Callable[[], None] = lambda: None,
    dropped: Callable[[], None] = lambda: None,
    on_ended: Callable[[], None] = lambda: None,
    held: HeldJobs | None = None,
) -> Node:
    membership, jobs = Membership(store, "watcher", "one", beat_ms, gap_ms), JobStore(store, "watcher")
    held = held or HeldJobs()
    calls = RecoveryCalls(lambda job, fence: None, lambda jobs: None, lambda: None, dropped, on_ended)
    recovery = JobRecovery(membership, jobs, RunRecord(store, "watcher"), held, RUN, calls)
    beats = HeartbeatCalls(lambda error: pytest.fail(str(error)), on_rest)
    heartbeat = Heartbeat(membership, recovery, held.load, beats, beat_ms / 1000, round_s)
    return Node(heartbeat, Departure(membership, held.load, heartbeat.stop, beat_ms / 1000))


@contextmanager
def watching(
    store: SettlingStore,
    round_s: float = 60,
    beat_ms: int = BEAT_MS,
    gap_ms: int = GAP_MS,
    on_rest: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """Such a node, while it runs."""
    node = node_of(store, round_s, beat_ms, gap_ms, on_rest)
    node.heartbeat.start()
    try:
        yield
    finally:
        node.departure.leave()


class Overtaken(SettlingStore):
    """A store in which something happens just after the next reading of all heartbeats."""

    def __init__(self, inner: Store, happens: Callable[[], object]) -> None:
        super().__init__(inner)
        self._happens = [happens]

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        found = super().scan(store_map, index_value, limit, after)
        if store_map is NODES and not found and self._happens:
            self._happens.pop()()
        return found


def taken_when_ready(jobs: JobStore) -> TakenJob:
    """The job as soon as it is ready."""
    wait_until(lambda: jobs.ready(HOST), "the return of the job", LIMIT_S)
    (taken,) = jobs.take(HOST, 1)
    return taken


@pytest.mark.parametrize(("is_idle", "step_beats"), [(True, range(20, 75)), (False, range(1))])
def test_heartbeats_come_quickly_only_while_all_nodes_are_idle(
    store: SettlingStore, monkeypatch: pytest.MonkeyPatch, is_idle: bool, step_beats: range
) -> None:
    """Of 100 steps of a tenth of a second, in a period of a minute."""
    steps: list[float | None] = []

    class Turning(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            steps.append(timeout)
            return len(steps) > 100

    monkeypatch.setattr(heartbeats, "threading", SimpleNamespace(Event=Turning, Thread=threading.Thread))
    held = HeldJobs()
    if not is_idle:
        held.add(["a"])
    node = node_of(store, beat_ms=60_000, gap_ms=600_000, held=held)
    node.heartbeat.start()
    wait_until(lambda: len(steps) > 100, "the steps", LIMIT_S)
    node.heartbeat.stop()
    (record,) = Membership(store, "reader", "two").read().values()
    assert record.number in step_beats, "beside the first one"


def test_a_node_that_wakes_and_is_lost_again_is_taken_from_each_time(store: SettlingStore) -> None:
    paused, jobs = Membership(store, "paused", "two", BEAT_MS, GAP_MS), JobStore(store, "paused")
    with watching(store):
        for time_lost in range(3):
            paused.beat(IDLE)
            assert taken_when_ready(jobs).lost == time_lost


@pytest.mark.parametrize(
    ("node", "reported"),
    [
        ("one", "jobs of an earlier process are ready again: 1"),
        ("two", "jobs of node two, which is lost, are ready again: 1"),
    ],
)
def test_whose_jobs_are_ready_again_is_reported(
    store: SettlingStore, node: str, reported: str, caplog: pytest.LogCaptureFixture
) -> None:
    jobs = JobStore(store, "dead")
    Membership(store, "dead", node, BEAT_MS, GAP_MS).beat(IDLE)
    assert jobs.take(HOST, 1)
    with watching(store):
        taken_when_ready(jobs)
    assert reported in caplog.text


def test_what_a_dead_node_took_at_the_last_moment_is_found_by_a_later_round(store: SettlingStore) -> None:
    dead, jobs = Membership(store, "dead", "two", BEAT_MS, GAP_MS), JobStore(store, "dead")
    dead.beat(IDLE)
    with watching(store, round_s=0.1):
        assert taken_when_ready(jobs).lost == 0
        assert taken_when_ready(jobs).lost == 1  # its heart stands still since the first take
        assert taken_when_ready(jobs).lost == 2


def test_nodes_at_rest_beat_again_soon_and_say_so(store: SettlingStore) -> None:
    rested = threading.Semaphore(0)
    with watching(store, beat_ms=LONG_MS, on_rest=rested.release):
        for _ in range(3):
            assert rested.acquire(timeout=LIMIT_S)


def test_a_node_waits_for_its_heartbeat_while_another_is_busy(store: SettlingStore) -> None:
    rested = threading.Event()
    busy = Membership(store, "busy", "two", BEAT_MS, LONG_MS)
    busy.beat(NodeLoad(1, False))
    with watching(store, gap_ms=LONG_MS, on_rest=rested.set):
        assert not rested.wait(0.3)
        busy.beat(NodeLoad(1, True))
        assert rested.wait(LIMIT_S)


def test_a_node_that_has_just_become_idle_sees_without_waiting_for_its_heartbeat_that_the_last_one_has_too(
    store: SettlingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeats, "LULL_S", LIMIT_S * 2)
    rested = threading.Event()
    last = Membership(store, "last", "two", BEAT_MS, LONG_MS)
    last.beat(NodeLoad(1, False))
    with watching(store, beat_ms=LONG_MS, gap_ms=LONG_MS, on_rest=rested.set):
        assert not rested.wait(0.3)
        last.beat(NodeLoad(1, True))
        assert rested.wait(LIMIT_S)


def test_a_node_that_leaves_while_one_asks_which_are_missing_is_not_awaited(store: SettlingStore) -> None:
    leaver = Membership(store, "leaver", "two")
    leaver.beat(IDLE)
    overtaken = Overtaken(store, lambda: leaver.beat(IDLE, NodeStatus.LEFT))
    assert node_of(overtaken).departure.awaited({"leaver"}) == ()
    assert leaver.read()["leaver"].state is NodeStatus.LEFT


def test_a_node_that_left_without_publishing_its_rows_is_awaited(store: SettlingStore) -> None:
    leaver = Membership(store, "leaver", "two")
    leaver.beat(NodeLoad(1, True, owes_rows=True), NodeStatus.LEFT)
    assert node_of(store).departure.awaited({"leaver", "unknown"}) == ("two", "unknown")


@contextmanager
def declared_lost(
    store: SettlingStore, phase: RunPhase, dropped: Callable[[], None], on_ended: Callable[[], None]
) -> Iterator[Membership]:
    """A node whose run comes to this phase while it is away, and which others declare lost; then it wakes."""
    record, other = RunRecord(store, "other"), Membership(store, "other", "two", BEAT_MS, GAP_MS)
    heartbeat = node_of(store, 60, LONG_MS, LONG_MS, dropped=dropped, on_ended=on_ended).heartbeat
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(heartbeats, "LULL_S", 0.0)  # else it sends heartbeats for a while, as it is idle
        heartbeat.start()
        try:
            if phase is not RunPhase.RUNNING:
                record.to_ending()
            if phase is RunPhase.OVER:
                record.to_over()
            wait_until(lambda: other.watch() == {"watcher"}, "the loss of the node", LIMIT_S)
            heartbeat.beat()
            yield other
        finally:
            heartbeat.stop()


def test_a_node_that_was_declared_lost_drops_its_jobs_before_it_beats_again(store: SettlingStore) -> None:
    states: list[NodeStatus] = []
    read = Membership(store, "test", "test").read
    with declared_lost(
        store,
        RunPhase.RUNNING,
        dropped=lambda: states.append(read()["watcher"].state),
        on_ended=lambda: pytest.fail("the run goes on"),
    ):
        assert states == [NodeStatus.DEAD]
        assert read()["watcher"].state is NodeStatus.LIVE


@pytest.mark.parametrize(
    ("phase", "state"), [(RunPhase.ENDING, NodeStatus.LIVE), (RunPhase.OVER, NodeStatus.DEAD)]
)
def test_a_node_that_was_away_when_its_run_ended_drops_its_jobs_and_ends(
    store: SettlingStore, phase: RunPhase, state: NodeStatus
) -> None:
    heard: list[str] = []
    with declared_lost(
        store, phase, dropped=lambda: heard.append("dropped"), on_ended=lambda: heard.append("ended")
    ) as other:
        assert heard == ["dropped", "ended"]
        assert other.read()["watcher"].state is state, (
            "beside the records of a run that is over none is written"
        )


def test_a_node_that_wakes_when_its_run_is_over_only_ends(
    store: SettlingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    held, record = HeldJobs(), RunRecord(store, "watcher")
    held.add([JOB])
    membership = Membership(store, "watcher", "one", LONG_MS, gap_ms=1)
    recovery_calls = RecoveryCalls(
        lambda job, fence: None,
        lambda jobs: None,
        lambda: heard.append("taken back"),
        on_ended=lambda: heard.append("ended"),
    )
    recovery = JobRecovery(membership, JobStore(store, "watcher"), record, held, RUN, recovery_calls)
    calls = HeartbeatCalls(
        lambda error: pytest.fail(str(error)), share_sessions=lambda: heard.append("sessions")
    )
    heartbeat = Heartbeat(membership, recovery, held.load, calls, LONG_MS / 1000, GAP_MS / 1000)
    asked = recovery.phase

    def phase() -> RunPhase:
        heard.append("asked")
        return asked()

    monkeypatch.setattr(recovery, "phase", phase)
    heartbeat.start()
    record.to_ending()
    record.to_over()
    wait_until(membership.own_beat_is_old, "half the gap to pass", LIMIT_S)
    for _ in range(2):
        heartbeat.beat()
    heartbeat.stop()
    assert heard == ["sessions", "asked", "ended", "asked"]


def test_jobs_that_others_took_back_from_a_living_node_are_dropped(store: SettlingStore) -> None:
    held, dropped = HeldJobs(), threading.Event()
    (job,) = JobStore(store, "watcher").take(HOST, 1)
    held.add([job.id])
    node = node_of(store, round_s=0.05, held=held, dropped=dropped.set)
    node.heartbeat.start()
    try:
        assert not dropped.wait(0.3), "it is held here, and taken in the store"
        JobStore(store, "other").take_back("watcher")
        assert dropped.wait(LIMIT_S)
    finally:
        node.departure.leave()


def test_a_cancel_from_elsewhere_is_passed_on_once(store: SettlingStore) -> None:
    cancelled: list[bool] = []
    held = HeldJobs()
    calls = HeartbeatCalls(
        lambda error: pytest.fail(str(error)),
        lambda: None,
        is_cancelled=lambda: True,
        on_cancelled=lambda: cancelled.append(True),
    )
    membership = Membership(store, "cancelled", "three", BEAT_MS, GAP_MS)
    jobs, record = JobStore(store, "cancelled"), RunRecord(store, "cancelled")
    recovery_calls = RecoveryCalls(lambda job, fence: None, lambda jobs: None, lambda: None)
    recovery = JobRecovery(membership, jobs, record, held, RUN, recovery_calls)
    heartbeat = Heartbeat(membership, recovery, held.load, calls, BEAT_MS / 1000, GAP_MS / 1000)
    for _ in range(2):
        heartbeat.beat()
    assert cancelled == [True]


def test_a_busy_node_beats_once_a_period_however_often_it_looks_whether_it_is_idle(
    store: SettlingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeats, "STEP_S", 0.01)
    held = HeldJobs()
    held.add([JOB])
    node = node_of(store, beat_ms=300, held=held)
    node.heartbeat.start()
    again = threading.Event()
    monkeypatch.setattr(node.heartbeat, "beat", again.set)
    assert not again.wait(0.15)
    assert again.wait(LIMIT_S)
    node.heartbeat.stop()


def test_a_heartbeat_that_is_stopped_leaves_no_thread(store: SettlingStore) -> None:
    before = {*threading.enumerate()}
    node = node_of(store)
    node.heartbeat.start()
    assert [each.name for each in {*threading.enumerate()} - before] == ["heartbeat"]
    node.heartbeat.stop()
    assert not {*threading.enumerate()} - before


class FailingHeartbeats(Membership):
    """Heartbeats that fail with the error that a test sets."""

    error: Exception | None = None

    def beat(self, load: NodeLoad, *more: Any, **named: Any) -> bool:
        if self.error is not None:
            raise self.error
        return super().beat(load, *more, **named)


def test_an_outage_of_the_store_is_logged_when_it_begins_and_when_it_is_over(
    store: SettlingStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    node, beats, over = node_of(store), 0, threading.Event()
    beat = node.heartbeat.beat

    def failing() -> None:
        nonlocal beats
        beats += 1
        if beats in (2, 3):
            raise StoreError("no answer")
        beat()
        if beats > 5:
            over.set()

    monkeypatch.setattr(node.heartbeat, "beat", failing)
    node.heartbeat.start()
    assert over.wait(LIMIT_S)
    node.heartbeat.stop()
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [text.partition(" after ")[0] for text in warned] == [
        "heartbeat: the store failed, retrying: no answer",
        "heartbeat: the store answers again",
    ]


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (RunError("the run's data is lost"), "the run's data is lost"),
        (ClusterError("no member has been reachable"), "no member has been reachable"),
        (KeyError("a defect"), "the heartbeat failed: KeyError('a defect')"),
    ],
)
def test_a_heartbeat_that_cannot_continue_ends_the_node(
    store: SettlingStore, error: Exception, shown: str
) -> None:
    lost: queue.Queue[ScoopiError] = queue.Queue()
    membership, held = FailingHeartbeats(store, "watcher", "one", BEAT_MS, LONG_MS), HeldJobs()
    calls = RecoveryCalls(lambda job, fence: None, lambda jobs: None, lambda: None)
    jobs, record = JobStore(store, "watcher"), RunRecord(store, "watcher")
    recovery = JobRecovery(membership, jobs, record, held, RUN, calls)
    shared = threading.Semaphore(0)
    beats = HeartbeatCalls(lost.put, given=lambda: [JOB], share_sessions=shared.release)
    heartbeat = Heartbeat(membership, recovery, held.load, beats, BEAT_MS / 1000, GAP_MS / 1000)
    heartbeat.start()
    assert shared.acquire(timeout=LIMIT_S)
    assert membership.read()["watcher"].given == marks_of([JOB])
    (thread,) = (each for each in threading.enumerate() if each.name == "heartbeat")
    assert thread.daemon, "a store that hangs keeps no process from ending"
    membership.error = error
    assert str(lost.get(timeout=LIMIT_S)) == shown
    thread.join(LIMIT_S)
    assert not thread.is_alive()


def test_a_heartbeat_that_fails_at_the_start_has_no_thread(store: SettlingStore) -> None:
    membership = FailingHeartbeats(store, "watcher", "one", BEAT_MS, LONG_MS)
    membership.error = StoreError("no answer")
    calls = RecoveryCalls(lambda job, fence: None, lambda jobs: None, lambda: None)
    jobs, record = JobStore(store, "watcher"), RunRecord(store, "watcher")
    recovery = JobRecovery(membership, jobs, record, HeldJobs(), RUN, calls)
    beats = HeartbeatCalls(lambda error: None)
    heartbeat = Heartbeat(membership, recovery, lambda: IDLE, beats, BEAT_MS / 1000, GAP_MS / 1000)
    before = {*threading.enumerate()}
    with pytest.raises(StoreError):
        heartbeat.start()
    heartbeat.stop()
    assert {*threading.enumerate()} == before
