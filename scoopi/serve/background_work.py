"""BackgroundWork: the work of a `serve` beside passes and attempts: garbage collection, notices, sources."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime

from scoopi.errors import BusyRecordError, StoreError
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.gc.incremental_collector import IncrementalCollector
from scoopi.serve.notices.notice_sender import NoticeSender
from scoopi.serve.serve_options import ServeOptions
from scoopi.serve.sources.source_client import SourceClient
from scoopi.serve.state import State

log = logging.getLogger(__name__)
AGAIN_S = 60.0
"""Seconds from an unexpected error until the part that had it runs again."""
_ROUNDS, _NOTICES, _SOURCES = "the garbage collector", "sending notices", "asking sources"


class BackgroundWork:
    """Does the work of a `serve` beside passes and attempts, a little in each turn. Belongs to one thread.

    It has three parts: the garbage collector, sending notices, and calling sources. An unexpected error in
    one of them is logged, and stops neither the others nor the `serve`.

    Args:
        state: the records.
        options: a `serve` that runs passes calls sources, and one that runs attempts sends notices.
        worker: the record of this process's worker.
        environ: the environment of processes that are started.
        new_window: called after a source has answered with other iterations than before.
    """

    def __init__(
        self,
        state: State,
        options: ServeOptions,
        worker: WorkerRecord,
        environ: Mapping[str, str],
        new_window: Callable[[], object],
    ) -> None:
        self._collector = IncrementalCollector(
            state, collects_records=options.schedules, collects_folders=options.works
        )
        self._notices = NoticeSender(state.store, state.project, worker if options.works else None, environ)
        sources = SourceClient(state.store, state.current, state.project, environ, new_window)
        self._sources = sources if options.schedules else None
        self._parts: dict[str, Callable[[datetime], None]] = {
            _ROUNDS: self._collector.turn,
            _NOTICES: self._notices.turn,
        }
        if self._sources is not None:
            self._parts[_SOURCES] = self._sources.turn
        self._failed_until: dict[str, float] = {}

    def turn(self, now: datetime) -> None:
        """Do what is due.

        Raises:
            StoreError: the store does not answer; the next turn continues.
        """
        for name, turn in self._parts.items():
            if time.monotonic() < self._failed_until.get(name, 0.0):
                continue
            try:
                turn(now)
                self._failed_until.pop(name, None)
            except BusyRecordError as error:  # the store answers, so the other parts continue
                log.warning("%s is held up: %s", name, error)
            except StoreError:
                raise
            except Exception:
                log.exception("%s failed, trying again in %.0f s", name, AGAIN_S)
                self._failed_until[name] = time.monotonic() + AGAIN_S

    def wait_s(self) -> float:
        """Return the seconds until the next turn has something to do, as far as known."""
        asks = float("inf") if self._sources is None else self._sources.wait_s()
        return min(self._collector.wait_s(), self._notices.wait_s(), asks)

    def has_open(self) -> bool:
        """Whether a notice or the answer of a source is still to come; failed parts do not count."""
        is_sending = _NOTICES not in self._failed_until and self._notices.has_open()
        sources = None if _SOURCES in self._failed_until else self._sources
        return is_sending or (sources is not None and sources.is_asking())

    def expedite(self) -> None:
        """Send notices at once instead of waiting for more, because nothing else is left to do."""
        self._notices.expedite()

    def finish(self, now: datetime) -> None:
        """Finish the round of the garbage collector that is in progress, or run one that is due."""
        self._collector.finish(now)

    def close(self) -> None:
        """Kill all processes that are running; another `serve` repeats their work."""
        self._notices.close()
        if self._sources is not None:
            self._sources.close()
