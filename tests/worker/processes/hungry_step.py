"""HungryStep: a step that takes as much memory as its page's address says; for workers of bounded memory."""

from __future__ import annotations

import threading
from collections.abc import Callable

from scoopi.model.handover import Handover, Payload, ToAppender
from scoopi.model.scrape.task_def import TaskDef
from scoopi.parse import parse_html
from scoopi.parse.tree.page import TreeLimits
from scoopi.steps.step import Step
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.worker_parts import ChainStep, GroupPlan, TaskChain, WorkerParts
from tests.worker.played_loader import PlayedLoader

MEMORY_BYTES = 200 << 20


class HungryStep(Step):
    """Allocates N bytes (`bytes:N`), parses N elements (`elements:N`), or starts N threads, each of which
    allocates a little (`threads:N`); gives no rows.
    """

    def run(self, payload: Payload) -> Handover:
        kind, size = payload.locator.url.split(":")
        if kind == "bytes":
            assert bytearray(int(size))
        elif kind == "threads":
            _allocate_in_threads(int(size))
        else:
            parse_html(b"<p>x" * int(size), limits=TreeLimits(max_nodes=int(size) * 3))
        return ToAppender(())


def _allocate_in_threads(number: int) -> None:
    """Start threads that allocate at the same time, so that none uses the arena of another that has ended."""
    together = threading.Barrier(number)

    def allocate() -> None:
        kept = bytearray(10_000)
        together.wait()
        assert kept

    threads = [threading.Thread(target=allocate) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def wire(plan: bytes, _: Callable[[str, str], None]) -> WorkerParts:
    """The parts of a worker that may use so many bytes, and whose loader loads at once.

    Args:
        plan: the number of bytes; MEMORY_BYTES if it is empty.
    """
    steps = (ChainStep("hungry", HungryStep(), "job.yml:1:1"),)
    chain = TaskChain(TaskDef("group", "task", "data", ()), steps)
    return WorkerParts(
        PlayedLoader(ends_at_once=1000),
        lambda _: GroupPlan((chain,), "loader", "here"),
        ChildJobs(lambda _: "file", 9),
        FoundValues({}, frozenset()),
        memory_bytes=int(plan or MEMORY_BYTES),
    )
