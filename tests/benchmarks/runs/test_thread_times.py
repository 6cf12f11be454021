"""The processor time of a run is divided among the threads that have used it."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.measured_run import served
from tests.benchmarks.runs.thread_times import MAIN, WORKERS, thread_times
from tests.benchmarks.workloads import labels


def test_the_times_of_the_parents_threads_and_of_the_workers_are_recorded(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    with served(pages) as url:
        times = thread_times(labels(pages, 20), tmp_path / "run", url, workers="1")
    assert {MAIN, WORKERS, "task-runner", "job-runner", "appender"} <= times.keys()
    assert all(times[name] > 0 for name in (MAIN, WORKERS, "task-runner", "job-runner", "appender"))
