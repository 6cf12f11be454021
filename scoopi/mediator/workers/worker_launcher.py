"""WorkerLauncher: starts worker processes, some of them ahead of their plan."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from scoopi.mediator.workers.worker_link import ProcessLink, WorkerLink

if TYPE_CHECKING:
    from scoopi.worker.worker_parts import Wire


class WorkerLauncher:
    """Starts worker processes, some of them ahead of their plan.

    Workers that are started ahead load their modules while the parent loads its own and reads definitions.

    At the end of the `with`, workers that were started and never launched are killed.

    Args:
        wire: the function that makes a worker's parts, as `module:function`.
    """

    def __init__(self, wire: str) -> None:
        self._wire = wire
        self._ahead: deque[ProcessLink] = deque()

    def __enter__(self) -> WorkerLauncher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._ahead:
            link = self._ahead.popleft()
            link.kill()
            link.reap()

    def start_ahead(self, count: int) -> None:
        """Start `count` of the workers that `launch` will hand out."""
        self._ahead.extend(ProcessLink(self._wire) for _ in range(count))

    def launch(self) -> ProcessLink:
        """Return a worker that waits for its plan: one that was started ahead, or a new one."""
        return self._ahead.popleft() if self._ahead else ProcessLink(self._wire)

    def thread_first(self, wire: Wire) -> Callable[[], WorkerLink]:
        """Return a function that launches a thread at its first call, and a process at each further one.

        A process replaces a thread that had to be abandoned, or runs jobs in quarantine.
        """
        from scoopi.mediator.workers.thread_link import (
            ThreadLink,  # late: nobody else needs a worker's modules here
        )

        threads = iter((wire,))
        return lambda: next(map(ThreadLink, threads), None) or self.launch()
