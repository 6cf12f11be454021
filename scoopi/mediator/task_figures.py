"""TaskFigures: how much is going on between the task runner and its workers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """A look at the task runner from outside of its thread.

    Attributes:
        workers: workers there are; `ready` of them are wired and take jobs.
        pids: process ids of those that are processes.
        crashes: workers that died since the node began.
        queued: jobs taken and not yet given to a worker; `given` those in workers.
        requests: requests granted and not yet answered, to `hosts_in_flight` hosts.
        hosts_waiting: hosts with queued jobs.
        turned_at: monotonic seconds of the loop's last turn; infinity before the first.
        stuck_s: for how long a worker is in a task that exceeds its limit and cannot be ended; 0 for none.
    """

    workers: int
    ready: int
    pids: tuple[int, ...]
    crashes: int
    queued: int
    given: int
    requests: int
    hosts_in_flight: int
    hosts_waiting: int
    turned_at: float
    stuck_s: float
