"""Figures of a cluster: the runs, nodes, jobs and hosts that `scoopi status` shows."""

from __future__ import annotations

import msgspec


class NodeFigures(msgspec.Struct, frozen=True):
    """One node of a run.

    Attributes:
        state: `alive`, `silent` (its heartbeat stands still), `dead` (the other nodes agree on it) or `left`.
        taken: jobs that it has taken and not yet ended.
        ended: jobs that it has ended, whose rows it has.
        pages: that it has loaded, by its last heartbeat.
        pages_per_s: over the last heartbeats; 0 unless it is alive.
    """

    node: str
    state: str
    taken: int
    ended: int
    pages: int
    pages_per_s: float


class JobFigures(msgspec.Struct, frozen=True):
    """Jobs of a run, by what has become of them.

    Attributes:
        waiting: between two attempts at their page.
        retry_in_s: seconds until the first of them is due, by the last heartbeat of its node; None: none
            waits, or at nodes only that are gone.
    """

    ready: int = 0
    waiting: int = 0
    retry_in_s: float | None = None
    taken: int = 0
    done: int = 0
    failed: int = 0
    skipped: int = 0


class ShareFigures(msgspec.Struct, frozen=True):
    """A node's share of a host: at most `permits` requests at a time, one each `gap_ms` milliseconds."""

    node: str
    gap_ms: int
    permits: int


class HostFigures(msgspec.Struct, frozen=True):
    """The ids of nodes that may send requests to a host, and of those that wait to."""

    host: str
    shares: tuple[ShareFigures, ...] = ()
    waiting: tuple[str, ...] = ()


class RunFigures(msgspec.Struct, frozen=True):
    """One run.

    Attributes:
        phase: `WAITING` (for its quorum), `ABANDONED` (no node waits any more, and it has not begun),
            `RUNNING`, `ENDING`, `OVER`, `LOST`: only its name is known, or `DAMAGED`: its records cannot be
            read.
        fault: what cannot be read.
        kept_s: how long the unfinished run is kept after its last heartbeat; 0: that time is over.
        seeded: the jobs of all defined locators are there.
        hosts: those that a node has a share of, or waits for.
        awaiting: nodes that are gone, and have not published all rows of the jobs that they have ended.
    """

    run: str
    phase: str
    seeded: bool = False
    nodes: tuple[NodeFigures, ...] = ()
    jobs: JobFigures = JobFigures()
    hosts: tuple[HostFigures, ...] = ()
    awaiting: tuple[str, ...] = ()
    fault: str = ""
    kept_s: int = 0


class ClusterFigures(msgspec.Struct, frozen=True):
    """A cluster: its name, `HOST:PORT` of its members, its runs by name.

    Attributes:
        most_members: the largest number that was seen; nodes work while more than half of them are there.
        is_database: the runs are kept in a database, which `cluster` then names; it has no members.
    """

    cluster: str
    members: tuple[str, ...]
    runs: tuple[RunFigures, ...] = ()
    most_members: int = 0
    is_database: bool = False
