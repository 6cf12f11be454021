"""A worker over its part of the memory fails the task, and lives on."""

from __future__ import annotations

import select
from pathlib import Path

import pytest

from scoopi.mediator.workers.worker_link import ProcessLink
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.worker.messages import Give, Result, Results, Setup, WorkItem
from tests.worker.hungry_step import MEMORY_BYTES

LIMIT_S = 60.0


@pytest.fixture
def link() -> ProcessLink:
    return ProcessLink("tests.worker.hungry_step:wire")


def run(link: ProcessLink, taken: str) -> Result:
    """What comes of a job whose step takes so much memory."""
    payload = JobPayload(Locator("name", "group", taken), "seed")
    link.send(Give((WorkItem("job", 1, payload),)))
    while True:
        assert select.select([link.incoming], [], [], LIMIT_S)[0], "the worker says nothing"
        messages, alive = link.receive()
        assert alive, link.reap()
        for message in messages:
            if isinstance(message, Results) and message.results:
                return message.results[0]


@pytest.mark.parametrize("taken", [f"bytes:{2 * MEMORY_BYTES}", "elements:3000000"])
def test_a_task_that_needs_more_than_a_worker_may_use_fails_and_the_next_one_runs(
    link: ProcessLink, taken: str
) -> None:
    try:
        link.send(Setup(b""))
        assert run(link, f"bytes:{MEMORY_BYTES // 4}").state is JobState.DONE
        result = run(link, taken)
        assert result.state is JobState.FAILED
        (failure,) = result.failures
        assert failure.cause == "hungry: the task needs more memory than a worker may use"
        assert "fewer workers" in failure.message
        assert failure.at == "job.yml:1:1"
        assert run(link, f"bytes:{MEMORY_BYTES // 3}").state is JobState.DONE
        limits = Path(f"/proc/{link.pid}/limits").read_text()
        (bound,) = (line.split()[3] for line in limits.splitlines() if line.startswith("Max address space"))
        assert bound != "unlimited"
    finally:
        link.kill()
        link.reap()
