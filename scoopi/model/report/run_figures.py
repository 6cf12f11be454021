"""Figures of a cluster: the runs, nodes, jobs and hosts that `scoopi status` shows."""

from __future__ import annotations

import msgspec


class NodeFigures(msgspec.Struct, frozen=True):
    """One node of a run.

    Attributes:
        state: `alive`, `silent` (it misses heartbeats), `dead` (the other nodes agree on it) or `left`.
        taken: the number of jobs that it has taken and not yet ended.
        ended: the number of jobs that it has ended, whose rows it has.
        pages: the number of pages that it has loaded, as of its last heartbeat.
        pages_per_s: the rate over the last heartbeats; 0 unless it is alive.
    """

    node: str
    state: str
    taken: int
    ended: int
    pages: int
    pages_per_s: float


class JobFigures(msgspec.Struct, frozen=True):
    """The number of a run's jobs in each state.

    Attributes:
        waiting: jobs between two attempts at their page.
        retry_in_s: seconds until the first of them is due, as of the last heartbeat of its node; None if none
            waits, or only at nodes that are gone.
    """

    ready: int = 0
    waiting: int = 0
    retry_in_s: float | None = None
    taken: int = 0
    done: int = 0
    failed: int = 0
    skipped: int = 0


class ShareFigures(msgspec.Struct, frozen=True):
    """A node's share of a host: at most `permits` requests at a time, one every `gap_ms` milliseconds."""

    node: str
    gap_ms: int
    permits: int


class HostFigures(msgspec.Struct, frozen=True):
    """A host: the shares of the nodes that may send requests, and the ids of the nodes that wait for one."""

    host: str
    shares: tuple[ShareFigures, ...] = ()
    waiting: tuple[str, ...] = ()


class RunFigures(msgspec.Struct, frozen=True):
    """One run.

    Attributes:
        phase: `WAITING` (for its quorum), `ABANDONED` (no node waits any more, and it has not begun),
            `RUNNING`, `ENDING`, `OVER`, `LOST` (only its name is known), or `DAMAGED` (its records cannot be
            read).
        seeded: whether the jobs of all defined locators exist.
        hosts: the hosts of which a node has a share, or waits for one.
        awaiting: the nodes that are gone and have not published all rows of the jobs that they ended.
        fault: what cannot be read of a damaged run.
        kept_s: for how many seconds after its last heartbeat the unfinished run is kept; 0 if that time is
            over.
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
    """A cluster: its name, `HOST:PORT` of each member, and its runs in the order of their names.

    Attributes:
        most_members: the largest number of members seen; nodes work only while more than half of them are
            there.
        is_database: whether the runs are kept in a database; `cluster` names it, and there are no members.
    """

    cluster: str
    members: tuple[str, ...]
    runs: tuple[RunFigures, ...] = ()
    most_members: int = 0
    is_database: bool = False
