"""What a pass writes does not grow with the number of jobs that wait."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.scheduling.__main__ import measured_passes
from tests.serve.serving import Serving


def test_the_writes_of_a_pass_do_not_grow_with_the_jobs(tmp_path: Path) -> None:
    writes = []
    for jobs in (20, 200):
        folder = tmp_path / str(jobs)
        folder.mkdir()
        writes.append(measured_passes(Serving(folder), processes=10, jobs=jobs)[1])
    assert writes[0] == writes[1] <= 2
