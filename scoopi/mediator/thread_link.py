"""ThreadLink: a worker in a thread of the parent, over the same pipes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from scoopi.mediator.worker_link import WorkerLink
from scoopi.worker.pipe import WorkerPipe
from scoopi.worker.worker import Worker
from scoopi.worker.worker_parts import WorkerParts

JOIN_S = 5.0


class ThreadLink(WorkerLink):
    """A worker in a thread of the parent: nothing is shielded from a page that crashes it."""

    def __init__(self, wire: Callable[[bytes, Callable[[str, str], None]], WorkerParts]) -> None:
        worker_in, outgoing = os.pipe()
        incoming, worker_out = os.pipe()
        super().__init__(incoming, outgoing)
        self._pipe = WorkerPipe(worker_in, worker_out)
        self._worker = Worker(self._pipe, None, wire, orphaned=lambda: None)
        self._thread = threading.Thread(target=self._serve, name="worker", daemon=True)
        self._join_s = JOIN_S
        self._thread.start()

    def kill(self) -> None:
        """A thread cannot be ended: it is left to itself, and nobody hears what it still says."""
        self._join_s = 0.0

    def reap(self) -> tuple[str, str, str]:
        """See `WorkerLink.reap`."""
        super().reap()
        self._thread.join(self._join_s)
        return "its thread ended", "", ""

    def _serve(self) -> None:
        try:
            self._worker.run()
        finally:
            self._pipe.close()
            self._worker.close()  # afterwards: the parent need not wait for it
