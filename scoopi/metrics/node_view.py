"""NodeView: a node as it stands now, for whoever asks the metrics server."""

from __future__ import annotations

import msgspec


class JobsView(msgspec.Struct, frozen=True):
    """Jobs `done` and `failed` by this process, `held` by it now; `left` in the run, None when not known."""

    done: int = 0
    failed: int = 0
    held: int = 0
    left: int | None = None


class CommitsView(msgspec.Struct, frozen=True):
    """Group commits; `most` counts by bound in seconds those that took no longer."""

    count: int = 0
    seconds: float = 0.0
    most: dict[float, int] = {}


class WorkersView(msgspec.Struct, frozen=True):
    """Workers there are, those that take jobs, and those that died since the node began."""

    running: int = 0
    ready: int = 0
    crashes: int = 0


class QueuesView(msgspec.Struct, frozen=True):
    """Jobs that wait for a worker, are in workers, and wait for their commit."""

    tasks: int = 0
    workers: int = 0
    appender: int = 0


class HostsView(msgspec.Struct, frozen=True):
    """Hosts with requests in flight, hosts with waiting jobs, and the requests in flight to all of them."""

    in_flight: int = 0
    waiting: int = 0
    requests: int = 0


class MemoryView(msgspec.Struct, frozen=True):
    """Resident bytes of the parent and of all workers that are processes."""

    parent: int = 0
    workers: int = 0


class NodeView(msgspec.Struct, frozen=True):
    """What `/api/status` tells as JSON and `/metrics` as numbers.

    Attributes:
        run: the run's id.
        node: the node's id.
        state: of the node: JOINING, READY, DONE, SHUTDOWN or TERMINATED.
        fault: what has broken; empty while the node lives.
        unready: why the node does not work; empty when it does.
        seconds: since the node began.
        rows: committed by this process, in `bytes` of frames.
        steps: seconds by step, over all workers.
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
