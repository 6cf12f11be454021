"""JobGiver: gives waiting jobs to workers, as hosts and workers allow."""

from __future__ import annotations

import msgspec

from scoopi.mediator.pending import Pending
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.workers.quarantine import Quarantine
from scoopi.mediator.workers.worker_pool import WorkerPool
from scoopi.politeness.host_clocks import FILE_HOST, HostClocks
from scoopi.worker.messages import Granted, WorkItem


class JobGiver:
    """Belongs to the task runner's thread."""

    def __init__(
        self, pool: WorkerPool, queues: TaskQueues, clocks: HostClocks, suspects: Quarantine
    ) -> None:
        self._pool = pool
        self._queues = queues
        self._clocks = clocks
        self._suspects = suspects

    def give(self) -> None:
        """Give out all that hosts and workers allow now."""
        self._queues.serve(self._serve_host)
        if len(self._suspects):
            self._serve_suspects()
        else:
            self._pool.end_alone()

    def _serve_host(self, host: str) -> bool:
        """Give out what the host and the workers allow; False when a worker is what lacks."""
        while (asking := self._queues.next_asking(host)) is not None:
            worker, job = asking
            if job not in worker.outstanding:  # handed back since it asked
                self._queues.pop_asking(host)
                continue
            grant = self._clocks.grant(host, job)
            if grant is None:
                self._queues.sleep(host)
                return True
            self._queues.pop_asking(host)
            worker.requests[job] = host
            worker.link.send(Granted(job, grant))
        standing = self._clocks.standing(host)
        while (pending := self._queues.next_job(host)) is not None:
            chosen = self._pool.choose(host != FILE_HOST, standing)
            if chosen is None:
                return False
            item = self._allowed(host, pending)
            if item is None:
                self._queues.sleep(host)
                return True
            chosen.add(self._queues.pop_job(host), item, standing)
        return True

    def _allowed(self, host: str, pending: Pending) -> WorkItem | None:
        """The job as a worker gets it, with a grant of the host; None when that must not be asked yet."""
        if host == FILE_HOST:
            return pending.item()
        grant = self._clocks.grant(host, pending.taken.id)
        return None if grant is None else msgspec.structs.replace(pending.item(), grant=grant)

    def _serve_suspects(self) -> None:
        """Give the worker for single jobs the first one whose host may be asked now."""
        worker = self._pool.start_alone()
        if not worker.has_room(needs_request=False):
            return
        refused: set[str] = set()
        for pending in self._suspects:
            host = FILE_HOST if pending.archived else pending.taken.host
            item = None if host in refused else self._allowed(host, pending)
            if item is not None:
                self._suspects.pop(pending)
                worker.add(pending, item)
                return
            refused.add(host)
