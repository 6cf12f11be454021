"""A node of fixed figures to be watched."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoopi.metrics.node_view import (
    CommitsView,
    HostsView,
    JobsView,
    MemoryView,
    NodeView,
    QueuesView,
    WorkersView,
)

VIEW = NodeView(
    run="r1",
    node="n1",
    version="0.1.0",
    state="READY",
    seconds=2.5,
    jobs=JobsView(done=7, failed=1, held=3, left=40),
    pages=8,
    rows=90,
    bytes=4096,
    commits=CommitsView(count=3, seconds=0.3, most={0.05: 1, 0.25: 3}),
    steps={"parser": 1.25, "loader": 0.5},
    workers=WorkersView(running=2, ready=2, crashes=1),
    queues=QueuesView(tasks=5, workers=4, appender=2),
    hosts=HostsView(in_flight=2, waiting=3, requests=4),
    memory=MemoryView(parent=1000, workers=2000),
)


class FixedNode:
    """Says what the test wants; `during` is called before a view is given."""

    def __init__(self) -> None:
        self.broken = ""
        self.waits_for = ""
        self.during: Callable[[], object] = lambda: None

    def fault(self) -> str:
        return self.broken

    def unready(self) -> str:
        return self.waits_for

    def view(self) -> NodeView:
        self.during()
        return VIEW


@pytest.fixture
def node() -> FixedNode:
    return FixedNode()
