"""A worker over its part of the memory fails the task, and lives on."""

from __future__ import annotations

import resource
import select
from pathlib import Path

import pytest

from scoopi.mediator.workers.worker_link import ProcessLink
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.worker.__main__ import LEAST_ROOM_BYTES
from scoopi.worker.messages import Assign, Result, Results, Setup, WorkItem
from tests.worker.processes.hungry_step import MEMORY_BYTES

LIMIT_S = 60.0
SLACK_BYTES = 24 << 20
"""How much a worker may map or use between two looks at it."""


@pytest.fixture
def link() -> ProcessLink:
    return ProcessLink("tests.worker.processes.hungry_step:wire")


def run(link: ProcessLink, taken: str) -> Result:
    """What comes of a job whose step takes so much memory."""
    payload = JobPayload(Locator("name", "group", taken), "seed")
    link.send(Assign((WorkItem("job", 1, payload),)))
    while True:
        assert select.select([link.incoming], [], [], LIMIT_S)[0], "the worker says nothing"
        messages, alive = link.receive()
        assert alive, link.reap()
        for message in messages:
            if isinstance(message, Results) and message.results:
                return message.results[0]


def bound_of(link: ProcessLink) -> int:
    """The most address space that the worker may map."""
    return resource.prlimit(link.pid, resource.RLIMIT_AS)[0]


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
        assert bound_of(link) != resource.RLIM_INFINITY
    finally:
        link.kill()
        link.reap()


def test_what_is_mapped_without_being_used_takes_nothing_of_a_workers_memory(link: ProcessLink) -> None:
    try:
        link.send(Setup(b""))
        assert run(link, "bytes:1").state is JobState.DONE
        status = Path(f"/proc/{link.pid}/status").read_text().splitlines()
        mapped, resident = (
            1024 * int(line.split()[1]) for line in status if line.startswith(("VmSize:", "VmRSS:"))
        )
        left = bound_of(link) - mapped  # the reader's thread has mapped an arena and its stack meanwhile
        assert abs(left - (MEMORY_BYTES - resident)) < SLACK_BYTES
    finally:
        link.kill()
        link.reap()


def test_threads_of_plugins_map_an_arena_or_two_and_not_one_each(link: ProcessLink) -> None:
    try:
        link.send(Setup(b"%d" % (1 << 40)))
        assert run(link, "bytes:1").state is JobState.DONE
        before = most_mapped(link)
        assert run(link, "threads:6").state is JobState.DONE
        arena = 64 << 20
        assert most_mapped(link) - before < 4 * arena, "with the stacks of the threads"
    finally:
        link.kill()
        link.reap()


def most_mapped(link: ProcessLink) -> int:
    """The most address space that the worker has mapped so far, in bytes."""
    status = Path(f"/proc/{link.pid}/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmPeak:"))


def test_a_worker_may_allocate_a_little_however_little_the_machine_has(link: ProcessLink) -> None:
    try:
        link.send(Setup(b"1"))
        assert run(link, f"bytes:{LEAST_ROOM_BYTES // 2}").state is JobState.DONE
        assert run(link, f"bytes:{LEAST_ROOM_BYTES * 2}").state is JobState.FAILED
    finally:
        link.kill()
        link.reap()


def test_a_limit_that_the_machine_sets_is_not_raised(link: ProcessLink) -> None:
    limit = 1 << 40
    try:
        resource.prlimit(link.pid, resource.RLIMIT_AS, (limit, limit))
        link.send(Setup(b"%d" % (1 << 45)))
        assert run(link, "bytes:1").state is JobState.DONE
        assert bound_of(link) == limit
    finally:
        link.kill()
        link.reap()
