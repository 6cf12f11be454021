"""Worker: waits for its plan, makes its loop from it, and reads the parent's messages while the loop runs."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterator

from scoopi.model.decoders import msgpack_decoder
from scoopi.worker.crash_marker import CrashMarker
from scoopi.worker.fetching import LEFT_ALONE_S
from scoopi.worker.messages import Ready, Setup, StartFault, ToWorker
from scoopi.worker.pipe import WorkerPipe
from scoopi.worker.request_reports import RequestReports
from scoopi.worker.worker_loop import Work, WorkerLoop
from scoopi.worker.worker_parts import Wire

log = logging.getLogger(__name__)

DECODER = msgpack_decoder(ToWorker)


class Worker:
    """Waits for its plan, makes its loop from it, and reads the parent's messages while the loop runs.

    The thread that calls `run` runs the steps; `run` returns when the parent sends Stop or has ended.

    Args:
        pipe: this worker's ends of the pipes.
        marker: where the current task is recorded; None where no watchdog reads it.
        wire: makes the worker's parts from the plan in `Setup`.
        orphaned: called when the parent has ended.
    """

    def __init__(
        self,
        pipe: WorkerPipe,
        marker: CrashMarker | None,
        wire: Wire,
        orphaned: Callable[[], None],
    ) -> None:
        self._pipe = pipe
        self._marker = marker
        self._wire = wire
        self._orphaned = orphaned
        self._to_run: deque[Work | None] = deque()
        self._loop: WorkerLoop | None = None  # until it is wired

    def run(self) -> None:
        """Serve the parent until it sends Stop or has ended, or `leave` is called."""
        bodies = self._pipe.bodies(LEFT_ALONE_S)
        first = next(filter(None, bodies), None)
        if first is None:
            return
        setup = DECODER.decode(first)
        assert isinstance(setup, Setup)
        try:
            self._serve(setup.plan, bodies)
        except BrokenPipeError:  # may come before the worker is ready, as a short run may end first
            self._orphaned()

    def close(self) -> None:
        """Close what `run` has opened; may wait for a DNS lookup, so a process that ends does not call it."""
        if self._loop is not None:
            self._loop.close()

    def leave(self) -> None:
        """Let `run` return without beginning another page; callable from any thread, at any time."""
        self._to_run.clear()
        self._to_run.append(None)
        if self._loop is not None:
            self._loop.wake()

    def _serve(self, plan: bytes, bodies: Iterator[bytes]) -> None:
        """Make the loop from the plan, and run it.

        Raises:
            BrokenPipeError: the parent has ended.
        """
        loop = self._wired(plan)
        if loop is None:
            return
        self._loop = loop
        self._pipe.send(Ready())
        threading.Thread(target=self._read, args=(loop, bodies), name="worker-reader", daemon=True).start()
        loop.run()

    def _wired(self, plan: bytes) -> WorkerLoop | None:
        """Make the loop; None if its parts cannot be made, which is reported to the parent."""
        reports = RequestReports()
        try:
            parts = self._wire(plan, reports.sent)
        except Exception as error:
            self._pipe.send(StartFault(f"{type(error).__name__}: {error}"))
            return None
        return WorkerLoop(self._pipe, self._marker, parts, self._to_run, reports)

    def _read(self, loop: WorkerLoop, bodies: Iterator[bytes]) -> None:
        try:
            for body in bodies:
                if body:
                    loop.handle(DECODER.decode(body))
                loop.continue_requests()
        except BrokenPipeError:
            pass  # the steps' thread has ended and closed the pipe
        except Exception:
            log.exception("a worker's reader failed")
        loop.stop()
        self._orphaned()
