"""FailedTasks: the failed tasks of a run become jobs, once; and which run `scoopi retry` means."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.engine.failed_tasks import FailedTasks, find_finished, find_of_cluster
from scoopi.model.failure import Failure
from scoopi.model.job import Frame, JobPayload, JobState, retry_id
from scoopi.model.locator import Locator
from scoopi.runs.folders.run_state import HIDDEN, NodeFile
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.settling_store import SettlingStore

NODE, LATER = "a" * 16, "b" * 16
HOST = "one.example:80"


class Run:
    """A run whose jobs end as the test says, with a frame each."""

    def __init__(self, store: SettlingStore, folder: Path) -> None:
        self._store = store
        self._jobs = JobStore(store, NODE)
        self._segments = folder / "segments"
        self._writer = SegmentWriter(self._segments, SegmentHeader("run", NODE))
        self._writer.open()
        self._count = 0

    def ends(self, state: JobState, pages: int = 1, failed: Sequence[str] = (), is_kept: bool = True) -> str:
        """A job with tasks `one` and `two`, the latter skipped before; its id.

        Args:
            failed: the tasks that failed.
            is_kept: its frame is the one that counts.
        """
        self._count += 1
        job = f"{self._count:032x}"
        payload = JobPayload(Locator("page", "shop", f"http://{HOST}/{self._count}"), "seed", skip=("two",))
        self._jobs.put([NewJob(job, HOST, payload)])
        (taken,) = self._jobs.take(HOST, 1)
        failures = tuple(Failure(cause="x", message="x", task=task) for task in failed)
        fence = taken.fence + (not is_kept)
        frame = Frame(job, fence, state, pages, (), failures, payload=payload if failed else None)
        self._writer.append([msgspec.msgpack.encode(frame)])
        assert self._jobs.finished.end([Ending(job, taken.fence, state)]) == [True]
        return job

    def failed_tasks(self) -> FailedTasks:
        return FailedTasks(self._store, LATER, self._segments.glob("*.seg"))


@pytest.fixture
def run(store: SettlingStore, tmp_path: Path) -> Run:
    return Run(store, tmp_path)


def test_a_run_without_failures_has_no_jobs_to_run_again(run: Run) -> None:
    run.ends(JobState.DONE)
    run.ends(JobState.SKIPPED)
    assert run.failed_tasks().jobs() == []


def test_of_a_page_that_was_loaded_only_the_failed_tasks_run_again(run: Run) -> None:
    job = run.ends(JobState.FAILED, failed=("three", "three", "one"))
    (again,) = run.failed_tasks().jobs()
    assert (again.id, again.host) == (retry_id(job), HOST)
    assert (again.payload.only, again.payload.skip) == (("three", "one"), ())


def test_of_a_page_that_was_not_loaded_all_tasks_run_again(run: Run) -> None:
    run.ends(JobState.FAILED, pages=0, failed=("one",))
    (again,) = run.failed_tasks().jobs()
    assert (again.payload.only, again.payload.skip) == ((), ())


def test_a_frame_of_an_attempt_that_did_not_count_is_passed_over(run: Run) -> None:
    run.ends(JobState.FAILED, failed=("one",), is_kept=False)
    assert run.failed_tasks().jobs() == []


def test_asked_for_twice_each_job_is_made_once(run: Run, store: SettlingStore) -> None:
    for _ in range(3):
        run.ends(JobState.FAILED, failed=("one",))
    first = run.failed_tasks()
    first.put(first.jobs())
    second = run.failed_tasks()
    second.put(second.jobs())
    jobs = JobStore(store, LATER)
    assert jobs.left() == 3
    jobs.finished.end([Ending(job.id, job.fence, JobState.DONE) for job in jobs.take(HOST, 9)])
    assert run.failed_tasks().jobs() == [], "they have been run again"


def leave(output: Path, run: str, at_s: int = 0, over: bool = True, cluster: bool = False) -> Path:
    folder = output / run / HIDDEN / "node"
    folder.mkdir(parents=True)
    (folder / "node.json").write_bytes(msgspec.json.encode(NodeFile("r1", "here", over, cluster)))
    os.utime(folder / "node.json", (at_s, at_s))
    return output / run


def test_the_newest_run_on_this_machine_that_is_over_is_found(tmp_path: Path) -> None:
    assert find_finished(tmp_path / "none") is None
    assert find_finished(tmp_path) is None
    leave(tmp_path, "20260101-000000-0001")
    newest = leave(tmp_path, "20260102-000000-0001")
    leave(tmp_path, "20260103-000000-0001", over=False)
    leave(tmp_path, "20260104-000000-0001", cluster=True)
    leave(tmp_path, ".20260105-000000-0001")
    (tmp_path / "latest").symlink_to(newest)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes.txt").touch()
    assert find_finished(tmp_path) == newest


def test_the_run_of_a_cluster_that_a_node_here_was_in_last_is_found(tmp_path: Path) -> None:
    assert find_of_cluster(tmp_path) is None
    leave(tmp_path, "books-1", at_s=1000, cluster=True)
    last = leave(tmp_path, "books-2", at_s=3000, cluster=True, over=False)
    leave(tmp_path, "books-3", at_s=2000, cluster=True)
    leave(tmp_path, "20260104-000000-0001", at_s=4000)
    assert find_of_cluster(tmp_path) == last
