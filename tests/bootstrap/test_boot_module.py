"""bootstrap_for: when the worker processes of a run are started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scoopi.bootstrap import boot_module
from scoopi.mediator.workers.worker_launcher import WorkerLauncher
from scoopi.runs.run_request import RunRequest

SLOW_MODULE = "scoopi.bootstrap.bootstrap"


@pytest.mark.parametrize(
    ("cores", "workers", "beside", "after"),
    [(2, 2, 1, 1), (4, 2, 2, 0), (4, 6, 3, 3), (1, 1, 1, 0), (1, 2, 1, 1), (8, 0, 0, 0)],
)
def test_workers_without_a_core_are_started_after_the_parents_modules(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cores: int, workers: int, beside: int, after: int
) -> None:
    started: list[tuple[int, bool]] = []

    def start_ahead(_: WorkerLauncher, count: int) -> None:
        started.append((count, SLOW_MODULE in sys.modules))

    monkeypatch.setattr(boot_module, "cores", lambda: cores)
    monkeypatch.setattr(WorkerLauncher, "start_ahead", start_ahead)
    monkeypatch.delitem(sys.modules, SLOW_MODULE, raising=False)
    request = RunRequest(defs=tmp_path, output=tmp_path / "output", workers=str(workers))
    with boot_module.bootstrap_for(request):
        assert started == [(beside, False), (after, True)]


def test_a_run_to_resume_may_be_over_so_no_worker_is_started_ahead(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    counts: list[int] = []
    monkeypatch.setattr(WorkerLauncher, "start_ahead", lambda _, count: counts.append(count))
    with boot_module.bootstrap_for(RunRequest(output=tmp_path / "output")):
        assert sum(counts) == 0
