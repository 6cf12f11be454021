"""FileTurns: of the jobs of this node that want one file, one asks for it, and the others wait."""

from __future__ import annotations

from collections.abc import Iterable

from scoopi.mediator.task_queues import GrantRequest
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.worker.messages import FileSettled


class FileTurns:
    """Of the jobs of this node that want one file, one asks for it, and the others wait until it has ended.

    Then all of them look whether it is there: if not, they ask again, and one is the first again. Belongs to
    the task runner's thread.
    """

    def __init__(self) -> None:
        self._asks: dict[str, GrantRequest] = {}
        self._waiting: dict[str, list[GrantRequest]] = {}

    def waits(self, request: GrantRequest) -> bool:
        """Whether the job has to wait, as another one asks for its file now."""
        asks = self._asks.get(request.file)
        if asks is None or asks.job == request.job:
            return False
        self._waiting.setdefault(request.file, []).append(request)
        return True

    def begin(self, request: GrantRequest) -> None:
        """The job asks for its file now, if it wants one."""
        if request.file:
            self._asks[request.file] = request

    def end(self, job: str) -> None:
        """The request of the job for a file has ended, whatever came of it."""
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
