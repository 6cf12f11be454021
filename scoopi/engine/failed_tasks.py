"""FailedTasks: makes jobs of the failed tasks of a run, so that they run again."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from msgspec.structs import replace

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.fetch.address import host_of
from scoopi.model.job import Frame, JobPayload, JobState, retry_id
from scoopi.runs.folders.run_folder import RunFolder
from scoopi.runs.folders.run_state import HIDDEN, STATE_FILE, node_folder_of, read_state
from scoopi.runs.run_context import RunContext
from scoopi.store.jobs.job_records import Ended, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import Store
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.runs.shared_counts import forget_counts

log = logging.getLogger(__name__)

PUT_AT_ONCE = 2000


class FailedTasks:
    """Makes jobs of a run's failed tasks, so that they run again.

    Each becomes a job of its own, whose id is derived from the first one's. So a retry that is requested
    twice, or again after a crash, makes each job once. The rows of the tasks that did not fail remain those
    of the first job, and the published files are replaced atomically, at the end.

    Args:
        store: of the run, of settled answers.
        node: incarnation of this node.
        segments: the files that hold the frames of the failed jobs.
    Source: ARCHITECTURE, protocol rules 4 to 6.
    """

    def __init__(self, store: Store, node: str, segments: Iterable[Path]) -> None:
        self._jobs = JobStore(store, node)
        self._segments = sorted(segments)

    def jobs(self) -> list[NewJob]:
        """Make a new job for each failed job of the segments whose tasks have not run again, in order of ids.

        Raises:
            StoreError: the store does not answer.
        """
        failed = self._failed()
        return sorted(self._new_jobs(failed), key=attrgetter("id")) if failed else []

    def put(self, jobs: Sequence[NewJob]) -> None:
        """Put these jobs into the store; existing ones remain as they are.

        Raises:
            StoreError: the store does not answer; put them again.
        """
        for start in range(0, len(jobs), PUT_AT_ONCE):
            self._jobs.put(jobs[start : start + PUT_AT_ONCE])
        if jobs:
            log.info("failed jobs of the run that run again: %d", len(jobs))

    def _failed(self) -> dict[str, Ended]:
        """The jobs whose failure stands: they have not been run again, and ended."""
        failed: dict[str, Ended] = {}
        for page in self._jobs.finished.pages():
            failed.update((job, end) for job, end in page if end.state is JobState.FAILED)
        again = self._jobs.finished.ended([retry_id(job) for job in failed])
        return {job: end for job, end in failed.items() if retry_id(job) not in again}

    def _new_jobs(self, failed: dict[str, Ended]) -> Iterator[NewJob]:
        for path in self._segments:
            reader = SegmentReader(path)
            for frame in reader.frames():
                end = failed.get(frame.job)
                if end is None or (end.incarnation, end.fence) != (reader.header.node, frame.fence):
                    continue
                if frame.payload is not None:
                    payload = _of_failed_tasks(frame, frame.payload)
                    yield NewJob(retry_id(frame.job), host_of(payload.locator.url), payload)


def reopen_run(context: RunContext, folder: RunFolder) -> int:
    """Put jobs for the failed tasks of a run on one machine, and return their number; reopen a finished run.

    A crash between two of its steps leaves a run that `resume` finishes, or that was never reopened.

    Raises:
        StoreError: the store does not answer.
    """
    failed = FailedTasks(context.store, context.node, folder.segments.glob("*.seg"))
    if jobs := failed.jobs():
        folder.write_state(context.run)
        forget_counts(context.store)
        RunRecord(context.store, context.node).reopen()
        failed.put(jobs)
    return len(jobs)


def _of_failed_tasks(frame: Frame, payload: JobPayload) -> JobPayload:
    """The payload for the tasks that failed; all of the job's, if its page was not loaded."""
    if not frame.pages:
        return replace(payload, skip=())
    failed = tuple(dict.fromkeys(failure.task for failure in frame.failures))
    return replace(payload, skip=(), only=failed)


def find_finished(output: Path) -> Path | None:
    """The folder of the newest run under `output`, not of a cluster, that is over; None if there is none."""
    try:
        paths = sorted((each for each in output.iterdir() if not each.is_symlink()), reverse=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    for path in paths:
        node_folder = None if path.name.startswith(".") else node_folder_of(path)
        if node_folder is not None and (state := read_state(node_folder)).over and not state.cluster:
            return path
    return None


def find_of_cluster(output: Path) -> Path | None:
    """The folder of the run of a cluster under `output` that a node here joined or ended last, or None.

    Raises:
        RunError: the state of a node cannot be read.
    """
    files = sorted(output.glob(f"[!.]*/{HIDDEN}/*/{STATE_FILE}"), key=lambda file: -file.stat().st_mtime_ns)
    return next((file.parents[2] for file in files if read_state(file.parent).cluster), None)
