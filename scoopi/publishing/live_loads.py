"""LiveLoads: fills tables while a run is in progress, from the segment that this process writes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.appenders.appender import JobResult
from scoopi.appenders.segment_reader import SegmentReader, segment_order
from scoopi.errors import ScoopiError, StoreError
from scoopi.publishing.ended_index import EndedIndex
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.retries import retried

if TYPE_CHECKING:
    from scoopi.publishing.table_load import TableLoad

log = logging.getLogger(__name__)

FOREVER_S = 1e9
POLL_S = 0.2
END_S = 30.0
"""How many seconds the thread may take to end; a transaction is faster, unless the database hangs."""


class LiveLoads:
    """Fills tables while a run is in progress, from the segment that this process writes.

    One thread reads what the appender has written, so a slow database does not slow down workers.

    It loads only what is settled: frames whose jobs have ended for good. What it cannot load (because the
    database is down, or the process ends) is loaded by the publisher.
    Source: ARCHITECTURE, protocol rule 15.

    Args:
        segment: the file of this process; other segments in its folder are those of earlier processes.
        loads: the loads of the tables, used by this thread only.
        jobs: the store of jobs, which says what earlier processes have ended.
        make_durable: makes the writes to the store survive a power failure; called before rows are loaded
            that depend on them.
    """

    def __init__(
        self, segment: Path, loads: Sequence[TableLoad], jobs: JobStore, make_durable: Callable[[], None]
    ) -> None:
        self._segment = segment
        self._loads = loads
        self._jobs = jobs
        self._make_durable = make_durable
        self._settled = self._read = 0
        self._lost: set[tuple[str, int]] = set()
        self._changed = threading.Condition()
        self._closed = self._is_begun = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="live-loads", daemon=True)

    def settle(self, end: int, lost: Iterable[JobResult]) -> None:
        """Release the frames up to an offset for loading; called by the appender.

        Args:
            end: offset in the segment, in bytes.
            lost: results that do not count, because another node has ended their jobs.
        """
        if not self._loads:
            return
        with self._changed:
            self._settled = end
            self._lost.update((result.job, result.fence) for result in lost)
            self._changed.notify()
        if not self._thread.ident:
            self._thread.start()

    def close(self) -> None:
        """Let the thread load the rest and then end; `settle` is not called after this."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def finish(self, is_late: Callable[[], bool] = lambda: False) -> None:
        """Wait for the end of the thread, which no longer retries a database that does not answer.

        Args:
            is_late: whether no time is left to wait.
        Raises:
            StoreError: the thread hangs in the database.
        """
        self.close()
        self._ending.set()
        end = time.monotonic() + END_S
        while self._thread.is_alive():
            if time.monotonic() > end or is_late():
                raise StoreError("the database does not answer", hint="`scoopi resume` loads the rows")
            self._thread.join(POLL_S)

    def _run(self) -> None:
        for load in self._loads:
            load.retry = self._retry
        try:
            while (goal := self._goal()) is not None:
                self._make_durable()
                self._load(goal)
        except StoreError as error:
            log.warning("rows are loaded at the end of the run: %s", error)
        except ScoopiError as error:
            log.error("rows are not loaded: %s", error)
        except Exception:
            log.exception("rows are not loaded")
        finally:
            for load in self._loads:
                load.close()

    def _retry(self, attempt: Callable[[], None]) -> None:
        ending = self._ending
        retried("loading rows", attempt, FOREVER_S, ending.is_set, ending.wait, asked="the database")

    def _goal(self) -> int | None:
        """The offset up to which to load next; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._settled > self._read or self._closed)
            return self._settled if self._settled > self._read else None

    def _load(self, goal: int) -> None:
        if not self._is_begun:
            self._load_earlier()
            self._read = min(load.begin(self._segment.stem) for load in self._loads)
            self._is_begun = True
        reader = SegmentReader(self._segment)
        for frame in reader.frames(self._read, goal):
            key = (frame.job, frame.fence)
            with self._changed:
                is_lost = key in self._lost
                self._lost.discard(key)
            if not is_lost:
                for load in self._loads:
                    load.add(frame, reader.position)
        for load in self._loads:
            load.flush()
        self._read = goal

    def _load_earlier(self) -> None:
        """Load what earlier processes of this node have committed, as far as it is settled.

        A frame that did not end its job may still count, so the rest of its segment waits for the end of the
        run.
        """
        earlier = [path for path in self._segment.parent.glob("*.seg") if path != self._segment]
        if not earlier:
            return
        ended = EndedIndex()
        for page in self._jobs.finished.pages():
            for job, end in page:
                ended.add(job, end.incarnation, end.fence)
        for path in sorted(earlier, key=segment_order):
            reader = SegmentReader(path)
            for load in self._loads:
                load.begin(reader.header.node)
            for frame in reader.frames():
                if not ended.match(frame.job, reader.header.node, frame.fence):
                    break
                for load in self._loads:
                    load.add(frame, reader.position)
            for load in self._loads:
                load.flush()
