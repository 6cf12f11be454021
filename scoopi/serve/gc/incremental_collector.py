"""IncrementalCollector: runs the garbage collector beside the other work of a `serve`, in small steps."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from datetime import datetime

from scoopi.errors import BusyRecordError, StoreError
from scoopi.model.schedule.schedule_records import SchedulerRecord
from scoopi.scheduler.decisions import changed
from scoopi.serve.gc.folder_collector import FolderCollector
from scoopi.serve.gc.record_collector import Collected, RecordCollector
from scoopi.serve.state import State

log = logging.getLogger(__name__)
_PAUSE, _BUSY_PAUSE = 100.0, 10.0
"""The pause after a step, as a multiple of its length; the second one after a step that removed something."""


class IncrementalCollector:
    """Runs rounds of the garbage collector in small steps, so that they take a small share of the time.

    Of several processes that share the records, one runs a round over them in each period of `gc.every`;
    each runs rounds over its own folders.

    Args:
        state: the records, and the folder.
        collects_records: whether this process takes part in rounds over the records.
        collects_folders: whether this process runs attempts, so that its folders are collected.
    """

    def __init__(self, state: State, *, collects_records: bool, collects_folders: bool) -> None:
        self._state = state
        self._collects_records, self._collects_folders = collects_records, collects_folders
        self._steps: Iterator[list[Collected]] | None = None
        self._due = self._next_round = time.monotonic()
        self._removed = 0

    def wait_s(self) -> float:
        """Return the seconds until the next step."""
        return max(0.0, self._due - time.monotonic())

    def turn(self, now: datetime) -> None:
        """Run a step, if one is due.

        Raises:
            StoreError: the store does not answer; a later round removes the rest.
        """
        if self.wait_s() > 0:
            return
        began = time.monotonic()
        has_removed = self._step(now)
        took = time.monotonic() - began
        pause = _BUSY_PAUSE if has_removed else _PAUSE
        self._due = self._next_round if self._steps is None else began + took + took * pause

    def finish(self, now: datetime) -> None:
        """Run the remaining steps of a round, or all steps of a round that is due.

        Raises:
            StoreError: as for `turn`.
        """
        if self._steps is None and time.monotonic() < self._next_round:
            return
        self._step(now)
        while self._steps is not None:
            self._step(now)

    def _step(self, now: datetime) -> bool:
        if self._steps is None:
            self._steps = self._begun(now)
        try:
            collected = next(self._steps, None)
        except StoreError:
            self._steps = None
            raise
        if collected is None:
            self._steps = None
            if self._removed:
                log.info("the garbage collector has removed %d records and folders", self._removed)
            self._removed = 0
            return False
        self._removed += len(collected)
        return bool(collected)

    def _begun(self, now: datetime) -> Iterator[list[Collected]]:
        every = self._state.current()[1].settings.gc.every
        self._next_round = time.monotonic() + every.total_seconds()

        def begun(old: SchedulerRecord) -> SchedulerRecord | None:
            is_early = old.collected is not None and abs(now - old.collected) < every
            return None if is_early else changed(old, collected=now)

        try:
            is_ours = self._collects_records and self._state.store.change_scheduler(begun) is not None
        except BusyRecordError as error:
            log.info("the round of the garbage collector over the records is left out: %s", error)
            is_ours = False
        if is_ours:
            yield from RecordCollector(self._state, now).steps()
        if self._collects_folders:
            yield from FolderCollector(self._state, now).steps()
