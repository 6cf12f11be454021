"""ThreadLink: a worker in a thread of the parent, over the same pipes."""

from __future__ import annotations

import ctypes
import os
import threading
from contextlib import suppress

from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.worker.crash_marker import CrashMarker, RunningTask
from scoopi.worker.page_runner import TaskAbandonedError
from scoopi.worker.pipe import WorkerPipe
from scoopi.worker.worker import Worker
from scoopi.worker.worker_parts import Wire

JOIN_S = 5.0


class ThreadLink(WorkerLink):
    """A worker in a thread of the parent; a page that crashes it crashes the whole node."""

    def __init__(self, wire: Wire) -> None:
        worker_in, outgoing = os.pipe()
        incoming, worker_out = os.pipe()
        super().__init__(incoming, outgoing)
        self._pipe = WorkerPipe(worker_in, worker_out)
        self._marker = CrashMarker(-1)
        self._worker = Worker(self._pipe, self._marker, wire, orphaned=lambda: None)
        self._thread = threading.Thread(target=self._serve, name="worker", daemon=True)
        self._is_left = False
        self._thread.start()

    def running_task(self) -> RunningTask:
        """See `WorkerLink.running_task`."""
        return self._marker.read()

    def has_ended(self) -> bool:
        """See `WorkerLink.has_ended`; an abandoned thread counts as ended."""
        return self._is_left

    def kill(self) -> None:
        """Abandon the thread, as it cannot be killed: nothing that it still sends is read.

        It gets an exception, which ends a loop in Python. A native call that never returns keeps the thread,
        and perhaps a core, until the process ends.
        """
        self._is_left = True
        self._worker.leave()
        if self.running_task().job and (number := self._thread.ident) is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(number), ctypes.py_object(TaskAbandonedError)
            )

    def reap(self) -> tuple[str, RunningTask]:
        """See `WorkerLink.reap`."""
        running = self.running_task()
        super().reap()
        if not self._is_left:
            self._thread.join(JOIN_S)
        return "its thread ended", running

    def _serve(self) -> None:
        try:
            with suppress(TaskAbandonedError):
                self._worker.run()
        finally:
            self._pipe.close()
            self._worker.close()  # afterwards: the parent need not wait for it
