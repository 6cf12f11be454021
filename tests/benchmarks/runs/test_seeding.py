"""The benchmark of seeding puts what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.store.jobs.job_store import JobStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.benchmarks.runs.seeding import seed


@pytest.mark.parametrize("rows", [False, True])
def test_as_many_jobs_are_put_as_are_reported(tmp_path: Path, rows: bool) -> None:
    assert seed(tmp_path, 400, hosts="four", rows=rows) == 400
    jobs = JobStore(SqliteStore(tmp_path / "store.db"), "node")
    assert [len(jobs.take(f"{shop}.example", 500)) for shop in "abcd"] == [100] * 4
