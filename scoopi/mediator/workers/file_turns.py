"""FileTurns: lets one job of this node at a time request a file that several want."""

from __future__ import annotations

from collections.abc import Iterable

from scoopi.mediator.task_queues import GrantRequest
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.worker.messages import FileSettled


class FileTurns:
    """Lets one job of this node at a time request a file that several want; the others wait meanwhile.

    When its request has ended, the workers of the others look whether the file is there; if not, they ask for
    a grant again, and the first to do so makes the next request. Belongs to the task runner's thread.
    """

    def __init__(self) -> None:
        self._asks: dict[str, GrantRequest] = {}
        self._waiting: dict[str, list[GrantRequest]] = {}

    def waits(self, request: GrantRequest) -> bool:
        """Whether another job requests the file now; if so, the job is kept until `end`."""
        asks = self._asks.get(request.file)
        if asks is None or asks.job == request.job:
            return False
        self._waiting.setdefault(request.file, []).append(request)
        return True

    def begin(self, request: GrantRequest) -> None:
        """Note that the job requests its file now; other kinds of requests are ignored."""
        if request.file:
            self._asks[request.file] = request

    def end(self, job: str) -> None:
        """Note that the job's request for a file has ended, failed or not, and notify the jobs that wait."""
        self._settle([file for file, asks in self._asks.items() if asks.job == job])

    def forget(self, worker: PoolWorker) -> None:
        """Drop the requests of a worker that has ended; other jobs may ask for its files."""
        for file, waiting in self._waiting.items():
            self._waiting[file] = [each for each in waiting if each.worker is not worker]
        self._settle([file for file, asks in self._asks.items() if asks.worker is worker])

    def _settle(self, files: Iterable[str]) -> None:
        for file in files:
            del self._asks[file]
            for each in self._waiting.pop(file, ()):
                each.worker.link.send(FileSettled(each.job))
