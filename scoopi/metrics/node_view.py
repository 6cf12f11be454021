"""NodeView: what a node reports about itself, even before it has joined its run."""

from __future__ import annotations

from typing import Protocol

import msgspec

from scoopi.version import __version__

JOINING = "JOINING"


class JobsView(msgspec.Struct, frozen=True):
    """Jobs `done`, `failed` and `skipped` by this process, `held` by it now, and `left` in the run.

    `left` is None if unknown.
    """

    done: int = 0
    failed: int = 0
    held: int = 0
    left: int | None = None
    skipped: int = 0


class CommitsView(msgspec.Struct, frozen=True):
    """Group commits; `most` maps a bound in seconds to the number of commits that took at most as long."""

    count: int = 0
    seconds: float = 0.0
    most: dict[float, int] = {}


class WorkersView(msgspec.Struct, frozen=True):
    """Workers that run, those that accept jobs, and the crashes since the start of the node."""

    running: int = 0
    ready: int = 0
    crashes: int = 0


class QueuesView(msgspec.Struct, frozen=True):
    """Jobs that wait for a worker, jobs in workers, and jobs that wait for their commit."""

    tasks: int = 0
    workers: int = 0
    appender: int = 0


class HostsView(msgspec.Struct, frozen=True):
    """Hosts with requests in flight, hosts with waiting jobs, and all requests in flight."""

    in_flight: int = 0
    waiting: int = 0
    requests: int = 0


class MemoryView(msgspec.Struct, frozen=True):
    """Resident bytes of the parent and of all worker processes together."""

    parent: int = 0
    workers: int = 0


class NodeView(msgspec.Struct, frozen=True):
    """What a node reports about itself, even before it has joined its run.

    It is the content of `/api/status`, and the source of `/metrics`.

    Attributes:
        run: the run's id.
        node: the node's id.
        state: JOINING, READY, IDLE, SHUTDOWN or TERMINATED.
        fault: what has failed; empty while the node is healthy.
        unready: why the node is not ready; empty if it is.
        seconds: time since the node started.
        pages: number of pages loaded by this process.
        rows: number of rows committed by this process.
        bytes: size of their frames.
        steps: step -> seconds, summed over all workers.
    """

    run: str
    node: str
    version: str
    state: str
    fault: str = ""
    unready: str = ""
    seconds: float = 0.0
    jobs: JobsView = JobsView()
    pages: int = 0
    rows: int = 0
    bytes: int = 0
    commits: CommitsView = CommitsView()
    steps: dict[str, float] = {}
    workers: WorkersView = WorkersView()
    queues: QueuesView = QueuesView()
    hosts: HostsView = HostsView()
    memory: MemoryView = MemoryView()


class Watched(Protocol):
    """A node that the metrics server watches; callable from any thread.

    `fault` and `unready` answer probes, so they never wait for the store or the disk.
    """

    def fault(self) -> str:
        """What has failed, so that the process should be restarted; empty while it is healthy."""

    def unready(self) -> str:
        """Why the node is not ready; empty if it is."""

    def view(self) -> NodeView:
        """All metrics; may wait for the store."""


class JoiningNode:
    """A `Watched` from the start of the process, which delegates to the node once that has joined."""

    def __init__(self) -> None:
        self._waits_for = "starting"
        self._node: Watched | None = None

    def waits(self, what: str) -> None:
        """Set what the node is waiting for, such as its cluster or other nodes."""
        self._waits_for = what

    def becomes(self, node: Watched) -> None:
        """Delegate to the node from now on, as it has joined its run."""
        self._node = node

    def fault(self) -> str:
        """See `Watched.fault`; a waiting node is healthy."""
        return "" if self._node is None else self._node.fault()

    def unready(self) -> str:
        """See `Watched.unready`."""
        return (
            f"the node has not joined its run: {self._waits_for}"
            if self._node is None
            else self._node.unready()
        )

    def view(self) -> NodeView:
        """See `Watched.view`."""
        if self._node is None:
            return NodeView("", "", __version__, JOINING, unready=self.unready())
        return self._node.view()
