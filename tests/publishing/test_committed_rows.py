"""CommittedRows: what has been committed is read once, and nothing that may not count."""

from __future__ import annotations

from pathlib import Path

from scoopi.model.job import JobState
from scoopi.publishing.committed_rows import CommittedRows
from scoopi.store.jobs.job_records import Ending
from scoopi.store.jobs.job_store import JobStore
from tests.appenders.conftest import Take, result_of
from tests.publishing.record_frames import Committer


def test_each_look_gives_what_was_committed_since_the_last(
    node_folder: Path, jobs: JobStore, take: Take, commit: Committer
) -> None:
    segments = node_folder / "segments"
    rows = CommittedRows(lambda: [*segments.glob("*.seg")], jobs, ["data.txt"])
    first, second, third = take(3)
    commit(result_of(first, "a"))
    commit.append(result_of(second, "b"))
    commit(result_of(third, "c"))

    before = [part.body for part in rows.poll()]
    jobs.finished.end([Ending(second.id, second.fence, JobState.DONE)])
    after = [part.body for part in rows.poll()]

    assert (before, after) == ([b"a\n"], [b"b\n", b"c\n"])
    assert [*rows.poll()] == []
