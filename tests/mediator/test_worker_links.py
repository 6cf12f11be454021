"""WorkerLink: what holds for a worker in a process of its own and for one in a thread."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator

import pytest

from scoopi.mediator.process_link import ProcessLink
from scoopi.mediator.thread_link import ThreadLink
from scoopi.mediator.worker_link import WorkerLink
from scoopi.worker.messages import Setup, Stop
from tests.worker.stuck_loader import RELEASED, wire

LIMIT_S = 10.0


@pytest.fixture(params=[lambda: ProcessLink("tests.worker.stuck_loader:wire"), lambda: ThreadLink(wire)])
def link(request: pytest.FixtureRequest) -> Iterator[WorkerLink]:
    """A worker whose loader cannot be closed before the test is over."""
    make: Callable[[], WorkerLink] = request.param
    made = make()
    yield made
    RELEASED.set()
    made.kill()
    made.reap()
    RELEASED.clear()


def test_a_worker_that_is_stopped_has_ended_before_its_loader_is_closed(link: WorkerLink) -> None:
    link.send(Setup(b""))
    link.send(Stop())
    end, alive = time.monotonic() + LIMIT_S, True
    while alive:
        assert select.select([link.incoming], [], [], end - time.monotonic())[0], "the worker does not end"
        _, alive = link.receive()
