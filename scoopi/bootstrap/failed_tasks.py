"""FailedTasks: makes jobs of the failed tasks of a run on one machine, so that they run again."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.errors import RunError
from scoopi.fetch.address import host_of
from scoopi.model.job import Frame, JobPayload, JobState, retry_id
from scoopi.runs.folders.run_folder import RunFolder
from scoopi.runs.folders.run_state import node_folder_of, read_state
from scoopi.runs.run_context import RunContext
from scoopi.store.pages.job_records import Ended, NewJob
from scoopi.store.pages.job_store import JobStore
from scoopi.store.runs.run_record import RunRecord

log = logging.getLogger(__name__)

PUT_AT_ONCE = 2000


class FailedTasks:
    """Makes jobs of a run's failed tasks, so that they run again.

    Each is a job of its own, whose id is derived from the first one's.

    So a retry that is asked for twice, or again after a crash, makes each job once; the rows of the tasks
    that did not fail stay those of the first job; and the published files change at the end, at once.

    Source: ARCHITECTURE, protocol rules 4 to 6.
    """

    def __init__(self, context: RunContext, folder: RunFolder) -> None:
        self._run = context.run
        self._folder = folder
        self._jobs = JobStore(context.store, context.node)
        self._record = RunRecord(context.store, context.node)

    def run_again(self) -> int:
        """Put a job for each failed one that was not run again; how many. A finished run is reopened.

        A crash between two of its steps leaves a run that `resume` finishes, or that was never reopened.

        Raises:
            StoreError: the store does not answer.
        """
        failed = self._failed()
        new = list(self._new_jobs(failed))
        if not new:
            return 0
        self._folder.write_state(self._run)
        self._record.reopen()
        new.sort(key=lambda job: job.id)
        for start in range(0, len(new), PUT_AT_ONCE):
            self._jobs.put(new[start : start + PUT_AT_ONCE])
        log.info("failed jobs of the run that run again: %d", len(new))
        return len(new)

    def _failed(self) -> dict[str, Ended]:
        """The jobs whose failure stands: they have not been run again, and ended."""
        failed: dict[str, Ended] = {}
        for page in self._jobs.ended_pages():
            failed.update((job, end) for job, end in page if end.state is JobState.FAILED)
        again = self._jobs.ended([retry_id(job) for job in failed])
        return {job: end for job, end in failed.items() if retry_id(job) not in again}

    def _new_jobs(self, failed: dict[str, Ended]) -> Iterator[NewJob]:
        if not failed:
            return
        for path in sorted(self._folder.segments.glob("*.seg")):
            reader = SegmentReader(path)
            for frame in reader.frames():
                end = failed.get(frame.job)
                if end is None or (end.incarnation, end.fence) != (reader.header.node, frame.fence):
                    continue
                if frame.payload is not None:
                    payload = _of_failed_tasks(frame, frame.payload)
                    yield NewJob(retry_id(frame.job), host_of(payload.locator.url), payload)


def _of_failed_tasks(frame: Frame, payload: JobPayload) -> JobPayload:
    """The payload for the tasks that failed; all of the job's, if its page was not loaded."""
    if not frame.pages:
        return replace(payload, skip=())
    failed = tuple(dict.fromkeys(failure.task for failure in frame.failures))
    return replace(payload, skip=(), only=failed)


def find_finished(output: Path) -> Path | None:
    """The newest run on this machine under `output` that is over; None when there is none."""
    try:
        paths = sorted((each for each in output.iterdir() if not each.is_symlink()), reverse=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    for path in paths:
        node_folder = None if path.name.startswith(".") else node_folder_of(path)
        if node_folder is not None and (state := read_state(node_folder)).over and not state.cluster:
            return path
    return None


def refuse_cluster(path: Path) -> None:
    """Refuse to retry a run of a cluster.

    Raises:
        RunError: it is one. Its jobs' records expire when it is over, and its nodes' segments are apart.
    """
    node_folder = node_folder_of(path)
    if node_folder is not None and read_state(node_folder).cluster:
        raise RunError(
            "it is a run of a cluster: its failed tasks cannot be run again, as the cluster forgets its jobs",
            at=str(path),
            hint="start a new run of the same definitions",
        )
