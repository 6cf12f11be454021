"""Appender: children before parents, frames before ends, in groups."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from scoopi.appenders import appender as appender_module
from scoopi.appenders.appender import (
    CHILD_BYTES,
    QUEUE_BYTES,
    Appender,
    CommitEvents,
    JobResult,
)
from scoopi.appenders.segment_reader import SegmentReader
from scoopi.appenders.segment_writer import SegmentWriter
from scoopi.configs.groups import AppenderSettings
from scoopi.errors import AppenderError, ClusterError, RecordError, ScoopiError, StoreError
from scoopi.model.job import JobPayload, JobState, seed_id
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from tests.appenders.conftest import NODE, Take, result_of

WAIT_S = 60.0


class Heard:
    """Records what the appender reports."""

    def __init__(self) -> None:
        self.won: list[str] = []
        self.lost: list[str] = []
        self.faults: list[ScoopiError] = []
        self._changed = threading.Condition()

    def events(self) -> CommitEvents:
        return CommitEvents(self.on_ended, self.on_fault)

    def on_ended(self, won: Sequence[JobResult], lost: Sequence[JobResult]) -> None:
        with self._changed:
            self.won += [result.job for result in won]
            self.lost += [result.job for result in lost]
            self._changed.notify_all()

    def on_fault(self, error: ScoopiError) -> None:
        with self._changed:
            self.faults.append(error)
            self._changed.notify_all()

    def wait_for(self, count: int) -> bool:
        with self._changed:
            return self._changed.wait_for(
                lambda: len(self.won) + len(self.lost) + len(self.faults) >= count, timeout=WAIT_S
            )


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def appender(unopened: SegmentWriter, jobs: JobStore, heard: Heard) -> Iterator[Appender]:
    appender = Appender(unopened, jobs, AppenderSettings(20, 100), heard.events())
    appender.start()
    yield appender
    appender.abandon()
    assert appender.join(WAIT_S)


def test_a_job_ends_when_its_frame_is_durable(
    appender: Appender, heard: Heard, jobs: JobStore, take: Take, node_folder: Path
) -> None:
    taken = take(30)
    for job in taken:
        appender.put(result_of(job))
    appender.end_of_stream()

    assert appender.join(WAIT_S)
    assert set(heard.won) == {job.id for job in taken}
    frames = SegmentReader(node_folder / "segments" / f"{NODE}.seg").frames()
    assert {frame.job for frame in frames} == set(heard.won)
    assert jobs.left() == 0
    assert len(jobs.finished.ended([job.id for job in taken])) == 30


def test_results_are_committed_together_when_the_interval_after_the_first_is_over(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []

    class Recorded(threading.Condition):
        def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
            waits.append(timeout)
            return super().wait_for(predicate, timeout)

    parts = SimpleNamespace(Condition=Recorded, Event=threading.Event, Thread=threading.Thread)
    monkeypatch.setattr(appender_module, "threading", parts)
    appender = Appender(unopened, jobs, AppenderSettings(2000, 100), heard.events())
    appender.start()
    appender.end_of_stream()
    assert appender.join(WAIT_S)
    assert waits == [None, 2.0], "without results it sleeps"


def test_children_stand_before_their_parent_has_ended(
    appender: Appender, heard: Heard, jobs: JobStore, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    (parent,) = take(1)
    child = seed_id("group", "child", "c")
    new = NewJob(child, "file", JobPayload(Locator("child", "group", "c"), child))
    ready_at_end: list[int] = []
    end = jobs.finished.end

    def watched(endings: Sequence[Ending]) -> list[bool]:
        ready_at_end.append(jobs.ready("file"))
        return end(endings)

    monkeypatch.setattr(jobs.finished, "end", watched)
    appender.put(msgspec.structs.replace(result_of(parent), children=(new,)))

    assert heard.wait_for(1)
    assert ready_at_end == [1]


def test_an_attempt_that_lost_its_job_is_reported_and_ends_nothing(
    appender: Appender, heard: Heard, jobs: JobStore, take: Take
) -> None:
    (job,) = take(1)
    jobs.hand_back([job])
    appender.put(result_of(job))

    assert heard.wait_for(1)
    assert (heard.won, heard.lost) == ([], [job.id])
    assert jobs.ready("file") == 1


def test_a_job_whose_record_the_store_has_lost_ends_the_node_and_is_not_taken_for_another_nodes(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, take: Take
) -> None:
    (job,) = take(1)
    jobs.hand_back([job])
    appender = Appender(unopened, jobs, AppenderSettings(), heard.events(), is_lost=lambda: True)
    appender.start()
    appender.put(result_of(job))
    appender.end_of_stream()
    assert appender.join(WAIT_S)
    assert [fault.what for fault in heard.faults] == [
        "the run's data is lost from the store: which jobs have finished is unknown"
    ]
    assert (heard.won, heard.lost) == ([], [])


def test_a_cluster_that_is_gone_is_named_as_it_is(
    appender: Appender, heard: Heard, jobs: JobStore, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = ClusterError("no member has been reachable")

    def refused(endings: Sequence[Ending]) -> list[bool]:
        raise gone

    (job,) = take(1)
    monkeypatch.setattr(jobs.finished, "end", refused)
    appender.put(result_of(job))
    appender.end_of_stream()
    assert appender.join(WAIT_S)
    assert heard.faults == [gone]


def test_a_store_that_does_not_answer_is_tried_again_and_the_frame_is_written_once(
    appender: Appender,
    heard: Heard,
    jobs: JobStore,
    take: Take,
    node_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (job,) = take(1)
    end = jobs.finished.end
    refusals = [StoreError("no answer"), StoreError("no answer")]

    def moody(endings: Sequence[Ending]) -> list[bool]:
        if refusals:
            raise refusals.pop()
        return end(endings)

    monkeypatch.setattr(jobs.finished, "end", moody)
    appender.put(result_of(job))

    assert heard.wait_for(1)
    assert heard.won == [job.id]
    assert len(list(SegmentReader(node_folder / "segments" / f"{NODE}.seg").frames())) == 1


def test_a_full_disk_ends_the_run_loudly_and_the_job_not(
    appender: Appender,
    heard: Heard,
    jobs: JobStore,
    unopened: SegmentWriter,
    take: Take,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(bodies: Sequence[bytes]) -> None:
        raise AppenderError("rows cannot be written: No space left on device")

    (job,) = take(1)
    monkeypatch.setattr(unopened, "append", full)
    appender.put(result_of(job))

    assert heard.wait_for(1)
    assert "No space left" in str(heard.faults[0])
    assert jobs.finished.ended([job.id]) == {}


def test_a_full_queue_says_so_until_it_is_committed(
    writer: SegmentWriter, jobs: JobStore, heard: Heard, take: Take
) -> None:
    appender = Appender(writer, jobs, AppenderSettings(60_000, 2), heard.events())
    for job in take(2):
        assert appender.has_room()
        appender.put(result_of(job))

    assert not appender.has_room()


def test_a_queue_of_many_bytes_is_full_too(writer: SegmentWriter, jobs: JobStore, heard: Heard) -> None:
    appender = Appender(writer, jobs, AppenderSettings(60_000, 100), heard.events())
    child = NewJob("c", "file", JobPayload(Locator("child", "group", "c"), "c"))
    result = JobResult("j", 1, JobState.DONE, bytes(QUEUE_BYTES - CHILD_BYTES - 1), (child,))
    appender.put(result)
    assert appender.has_room()
    appender.put(JobResult("k", 1, JobState.DONE, b"1"))
    assert not appender.has_room()
    assert appender.waiting() == 2


@pytest.mark.parametrize("why", ["bytes", "flush", "end"])
def test_a_long_interval_is_cut_short(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, take: Take, why: str
) -> None:
    appender = Appender(unopened, jobs, AppenderSettings(3_600_000, 100), heard.events())
    (job,) = take(1)
    appender.start()
    appender.put(result_of(job, text="x" * (2 << 20 if why == "bytes" else 1)))
    if why == "flush":
        appender.flush()
    if why == "end":
        appender.end_of_stream()
    assert heard.wait_for(1), "it was not committed"
    assert heard.won == [job.id]
    appender.abandon()
    assert appender.join(WAIT_S)


def test_what_is_settled_and_the_close_are_reported(
    jobs: JobStore, take: Take, unopened: SegmentWriter, node_folder: Path
) -> None:
    settled: list[tuple[int, list[str]]] = []
    closed, seconds = threading.Event(), list[float]()
    events = CommitEvents(
        on_ended=lambda won, lost: None,
        on_fault=lambda error: None,
        on_committed=seconds.append,
        on_settled=lambda end, lost: settled.append((end, [result.job for result in lost])),
        on_closed=closed.set,
    )
    appender = Appender(unopened, jobs, AppenderSettings(20, 100), events)
    assert not appender.ended()
    assert appender.join(0), "it has not been started"
    kept, gone = take(2)
    jobs.hand_back([gone])
    appender.start()
    appender.put(result_of(kept))
    appender.put(result_of(gone))
    appender.end_of_stream()
    assert appender.join(WAIT_S)
    assert closed.is_set()
    assert appender.ended()
    path = node_folder / "segments" / f"{NODE}.seg"
    assert settled[-1] == (path.stat().st_size, [gone.id])
    assert [second >= 0 for second in seconds] == [True] * len(settled)
    with pytest.raises(AppenderError, match="rows cannot be written: Bad file descriptor"):
        unopened.append([b"after the end"])


def test_an_abandoned_queue_is_not_committed(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, take: Take
) -> None:
    appender = Appender(unopened, jobs, AppenderSettings(20, 100), heard.events())
    (job,) = take(1)
    appender.put(result_of(job))
    appender.abandon()
    appender.start()
    assert appender.join(WAIT_S)
    assert (heard.won, heard.faults, jobs.finished.ended([job.id])) == ([], [], {})


def test_an_appender_that_is_abandoned_while_the_store_is_away_reports_no_fault(
    appender: Appender, heard: Heard, jobs: JobStore, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()

    def refused(endings: Sequence[Ending]) -> list[bool]:
        asked.set()
        raise StoreError("no answer")

    (job,) = take(1)
    monkeypatch.setattr(jobs.finished, "end", refused)
    appender.put(result_of(job))
    assert asked.wait(WAIT_S)
    appender.abandon()
    assert appender.join(WAIT_S)
    assert (heard.won, heard.lost, heard.faults) == ([], [], [])


def test_abandoned_before_it_knows_whether_the_store_has_lost_the_run_it_calls_no_job_another_nodes(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = take(1)
    appender = Appender(unopened, jobs, AppenderSettings(), heard.events(), is_lost=lambda: True)

    def lost(endings: Sequence[Ending]) -> list[bool]:
        appender.abandon()
        return [False for _ in endings]

    monkeypatch.setattr(jobs.finished, "end", lost)
    appender.start()
    appender.put(result_of(job))
    assert appender.join(WAIT_S)
    assert (heard.won, heard.lost, heard.faults) == ([], [], [])


def test_an_appender_without_results_writes_nothing(
    writer: SegmentWriter, jobs: JobStore, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = threading.Event()
    append = writer.append

    def watched(bodies: Sequence[bytes]) -> int:
        written.set()
        return append(bodies)

    monkeypatch.setattr(writer, "append", watched)
    monkeypatch.setattr(writer, "open", lambda: None)
    idle = Appender(writer, jobs, AppenderSettings(1, 100), heard.events())
    idle.start()
    assert not written.wait(0.1), "its interval is a millisecond"
    idle.abandon()
    assert idle.join(WAIT_S)


def test_a_result_is_committed_after_the_interval_though_none_follows(
    appender: Appender, take: Take, heard: Heard
) -> None:
    for number, job in enumerate(take(5), 1):
        appender.put(result_of(job))
        assert heard.wait_for(number)
    assert len(heard.won) == 5


def test_results_wait_for_the_interval_and_are_committed_together(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    together: list[int] = []
    written = threading.Event()
    append = unopened.append

    def watched(bodies: Sequence[bytes]) -> int:
        together.append(len(bodies))
        written.set()
        return append(bodies)

    monkeypatch.setattr(unopened, "append", watched)
    seconds: list[float] = []
    events = CommitEvents(heard.on_ended, heard.on_fault, seconds.append)
    appender = Appender(unopened, jobs, AppenderSettings(3_600_000, 100), events)
    appender.start()
    taken = take(5)
    for some in (taken[:2], taken[2:]):
        for job in some:
            appender.put(result_of(job))
            assert not written.wait(0.05), "the interval is an hour"
        appender.flush()
        assert written.wait(WAIT_S)
        written.clear()
    appender.end_of_stream()
    assert appender.join(WAIT_S)
    assert together == [2, 3]
    assert all(0 <= each < WAIT_S for each in seconds)
    assert len(seconds) == 2


class CountingCondition(threading.Condition):
    """Counts how often the appender's thread is woken up."""

    wakeups = 0

    def wait(self, timeout: float | None = None) -> bool:
        woken = super().wait(timeout)
        CountingCondition.wakeups += threading.current_thread().name == "appender"
        return woken


def test_a_result_that_makes_no_commit_due_does_not_wake_the_thread(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CountingCondition, "wakeups", 0)
    monkeypatch.setattr(threading, "Condition", CountingCondition)
    appender = Appender(unopened, jobs, AppenderSettings(3_600_000, 100), heard.events())
    appender.start()
    for job in take(30):
        appender.put(result_of(job))
        threading.Event().wait(0.002)  # long enough for the thread to run if it is woken
    appender.flush()
    assert heard.wait_for(30)
    assert CountingCondition.wakeups <= 2, "for the first result, and to commit"
    appender.end_of_stream()
    assert appender.join(WAIT_S)


def test_an_error_that_nobody_foresaw_is_reported_as_one_of_the_appender(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(bodies: Sequence[bytes]) -> int:
        raise ValueError("a defect")

    monkeypatch.setattr(unopened, "append", broken)
    appender = Appender(unopened, jobs, AppenderSettings(20, 100), heard.events())
    appender.start()
    (job,) = take(1)
    appender.put(result_of(job))
    assert heard.wait_for(1)
    (fault,) = heard.faults
    assert isinstance(fault, AppenderError)
    assert "ValueError('a defect')" in fault.what
    assert appender.join(WAIT_S)


def test_an_appender_that_hangs_keeps_no_process_from_ending(appender: Appender) -> None:
    (thread,) = (each for each in threading.enumerate() if each.name == "appender")
    assert thread.daemon


def test_a_queue_that_was_committed_has_room_for_as_many_bytes_as_before(
    appender: Appender, heard: Heard, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.appenders.appender.QUEUE_BYTES", 1)
    (job,) = take(1)
    appender.put(result_of(job))
    appender.flush()
    assert heard.wait_for(1)
    assert appender.has_room()
    assert appender.waiting() == 0


@pytest.mark.parametrize("more", [0, 1])
def test_results_are_committed_before_the_interval_as_soon_as_they_have_the_bytes_of_a_commit(
    unopened: SegmentWriter,
    jobs: JobStore,
    heard: Heard,
    take: Take,
    monkeypatch: pytest.MonkeyPatch,
    more: int,
) -> None:
    first, second = (result_of(job) for job in take(2))
    bound = len(first.body) + len(second.body) + more
    monkeypatch.setattr("scoopi.appenders.appender.COMMIT_BYTES", bound)
    appender = Appender(unopened, jobs, AppenderSettings(3_600_000, 100), heard.events())
    appender.start()
    appender.put(first)
    appender.put(second)
    if more:
        assert appender.waiting() == 2, "a byte is missing"
        appender.flush()
    assert heard.wait_for(2)
    assert heard.won == [first.job, second.job]
    appender.end_of_stream()
    assert appender.join(WAIT_S)


def test_a_node_holds_at_most_sixteen_megabytes_of_results_whatever_the_setting_says(
    writer: SegmentWriter, jobs: JobStore, heard: Heard
) -> None:
    appender = Appender(writer, jobs, AppenderSettings(60_000, 1_000_000), heard.events())
    appender.put(JobResult("j", 1, JobState.DONE, bytes((16 << 20) - 1)))
    assert appender.has_room()
    appender.put(JobResult("k", 1, JobState.DONE, b"1"))
    assert not appender.has_room()


@pytest.mark.parametrize("count", [3, 4, 5])
def test_the_children_of_a_page_are_stored_in_parts_and_in_their_order(
    appender: Appender, heard: Heard, jobs: JobStore, take: Take, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr("scoopi.appenders.appender.CHILDREN_AT_ONCE", 2)
    (parent,) = take(1)
    names = [f"c{number}" for number in range(count)]
    children = tuple(NewJob(name, "file", JobPayload(Locator(name, "group", name), name)) for name in names)
    stored: list[list[str]] = []
    monkeypatch.setattr(jobs, "put", lambda new: stored.append([each.id for each in new]))
    appender.put(msgspec.structs.replace(result_of(parent), children=children))
    assert heard.wait_for(1)
    assert stored == [names[first : first + 2] for first in range(0, count, 2)]


def test_an_appender_that_is_abandoned_while_it_stores_children_writes_no_frame(
    appender: Appender,
    heard: Heard,
    jobs: JobStore,
    take: Take,
    node_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (parent,) = take(1)
    child = NewJob("c", "file", JobPayload(Locator("c", "group", "c"), "c"))
    monkeypatch.setattr(jobs, "put", lambda new: appender.abandon())
    appender.put(msgspec.structs.replace(result_of(parent), children=(child,)))
    assert appender.join(WAIT_S)
    assert heard.won == []
    assert list(SegmentReader(node_folder / "segments" / f"{NODE}.seg").frames()) == []


def test_a_store_that_stays_away_ends_the_run_with_its_reason_and_hint(
    unopened: SegmentWriter, jobs: JobStore, heard: Heard, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(endings: Sequence[Ending]) -> list[bool]:
        raise StoreError("the disk is full", at="store.db", hint="free space")

    (job,) = take(1)
    monkeypatch.setattr(jobs.finished, "end", refused)
    appender = Appender(unopened, jobs, AppenderSettings(20, 100), heard.events(), store_timeout_s=0.0)
    appender.start()
    appender.put(result_of(job))
    assert appender.join(WAIT_S)
    (fault,) = heard.faults
    assert isinstance(fault, AppenderError)
    assert (fault.what, fault.at, fault.hint) == ("the disk is full", "store.db", "free space")


def test_a_job_that_cannot_run_has_neither_rows_nor_children() -> None:
    result = JobResult("j", 1, JobState.FAILED, b"")
    assert (result.rows, result.children) == (0, ())


def test_a_record_that_cannot_be_decoded_is_named_as_it_is_and_not_retried(
    appender: Appender, heard: Heard, jobs: JobStore, take: Take, monkeypatch: pytest.MonkeyPatch
) -> None:
    unreadable, asked = RecordError("not a record of Scoopi", at="jobs/a"), list[int]()

    def refused(endings: Sequence[Ending]) -> list[bool]:
        asked.append(len(endings))
        raise unreadable

    (job,) = take(1)
    monkeypatch.setattr(jobs.finished, "end", refused)
    appender.put(result_of(job))
    assert appender.join(WAIT_S)
    assert (heard.faults, asked) == ([unreadable], [1])
