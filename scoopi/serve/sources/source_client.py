"""SourceClient: calls the sources that define a project's iterations, each in a process with a time limit."""

from __future__ import annotations

import json
import logging
import selectors
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from scoopi.errors import BusyRecordError, DamagedBundleError, UsageError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.model.text.shown import as_utf8
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.planning.evaluations import last_evaluation
from scoopi.serve.background_process import BackgroundProcess
from scoopi.serve.clock import PollTimer
from scoopi.store.schedule.schedule_store import ScheduleStore

log = logging.getLogger(__name__)
LIMIT_S = 10.0
"""How many seconds a source may take."""
LEASE = timedelta(seconds=20)
"""From a call of a source until another process may call it, as the first process has crashed."""
_READ_EVERY_S = 0.5
"""How often the records are read to find the sources that are due."""
_CHECK_EVERY_S = 0.05
"""How often running sources are checked for their time limit."""
_PYTHON = "python:"
_PROGRAM = "scoopi.serve.sources.source_call"


@dataclass(slots=True)
class _Question:
    record: ProcessRecord
    due: datetime
    call: BackgroundProcess


class SourceClient:
    """Calls the sources of iterations at each evaluation of their processes, in processes of their own.

    A pass uses only the last answers, so that no source can delay it. If a source fails, its last answer is
    kept, and the failure is logged and recorded at its process. Belongs to one thread.

    Args:
        store: the records.
        current: returns the digest of the current definitions, and the definitions.
        project: returns the folder of a bundle by its digest.
        environ: the environment of the processes.
        new_window: called after a source has answered with other iterations than before.
        limit_s: the longest time, in seconds, that a source may take.
    """

    def __init__(
        self,
        store: ScheduleStore,
        current: Callable[[], tuple[str, Schedule]],
        project: Callable[[str], Path],
        environ: Mapping[str, str],
        new_window: Callable[[], object] = lambda: None,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._store, self._current, self._project = store, current, project
        self._environ, self._new_window, self._limit_s = environ, new_window, limit_s
        self._open: dict[str, _Question] = {}
        self._poll = PollTimer(_READ_EVERY_S)

    def wait_s(self) -> float:
        """Return the seconds until the next turn has something to do, as far as known."""
        return _CHECK_EVERY_S if self._open else float("inf")

    def is_asking(self) -> bool:
        """Whether a source has not answered yet."""
        return bool(self._open)

    def turn(self, now: datetime) -> None:
        """Record answers, kill sources that take too long, and call those that are due.

        Raises:
            StoreError: the store does not answer; the next turn continues.
        """
        for name in [*self._open]:
            self._check(name)
        if self._poll.is_due():
            self._ask(now)

    def ask_all(self, now: datetime) -> None:
        """Call the sources that are due and wait for all answers; for a single pass."""
        self._ask(now)
        with selectors.DefaultSelector() as selector:
            for question in self._open.values():
                selector.register(question.call, selectors.EVENT_READ)
            asked = {*self._open}
            while asked:
                selector.select(_CHECK_EVERY_S)
                for name in [*asked]:
                    call = self._open[name].call
                    if call.is_over():
                        selector.unregister(call)
                        asked.remove(name)
                        self._check(name)
        self.close()  # a source whose answer could not be written is called again later

    def close(self) -> None:
        """Kill all running sources; they are called again later."""
        for question in self._open.values():
            question.call.close()
        self._open.clear()

    def _ask(self, now: datetime) -> None:
        bundle, schedule = self._current()
        processes = {name: process for name, process in schedule.processes.items() if _source_of(process)}
        records = self._store.get(ProcessRecord, [*processes]) if processes else {}
        for name, record in records.items():
            due = last_evaluation(processes[name], record, now)
            is_due = record.asked is None or record.asked < due
            is_free = record.asking_until is None or not now <= record.asking_until <= now + LEASE
            if name not in self._open and is_due and is_free:
                claimed = changed(record, asking_until=now + LEASE)
                try:
                    if self._store.write(record, claimed):
                        self._begin(claimed, processes[name], bundle, due, now)
                except BusyRecordError as error:
                    log.info("process %s: its source is not asked yet: %s", name, error)

    def _begin(
        self, record: ProcessRecord, process: Process, bundle: str, due: datetime, now: datetime
    ) -> None:
        try:
            request = {
                "project": str(self._project(bundle).resolve()),
                "source": _source_of(process),
                "now": now.isoformat(),
                "lookback": process.lookback,
            }
            call = BackgroundProcess(_PROGRAM, request, self._environ, self._limit_s)
        except (DamagedBundleError, UsageError, OSError) as error:
            self._note(record, due, None, str(error))
        else:
            self._open[record.name] = _Question(record, due, call)

    def _check(self, name: str) -> None:
        """Record the answer of a source that has ended."""
        question = self._open[name]
        if not question.call.is_over():
            return
        failure, answer = question.call.failure(), question.call.answer()
        if not failure and not answer:
            failure = "it ended the process instead of returning a number"
        window = None if failure else json.loads(answer)
        try:
            self._note(question.record, question.due, window, failure)
        except BusyRecordError as error:
            log.info("process %s: the answer of its source is not written yet: %s", name, error)
            return
        question.call.close()
        del self._open[name]

    def _note(self, record: ProcessRecord, due: datetime, window: list[int] | None, failure: str) -> None:
        failure = as_utf8(failure)  # it may name any path

        def noted(old: ProcessRecord | None) -> ProcessRecord | None:
            if old is None or old.asking_until != record.asking_until:  # it has been called again since
                return None
            numbers = old.window if window is None else tuple(window)
            return changed(old, window=numbers, asked=due, asking_until=None, source_error=failure)

        new = self._store.update(ProcessRecord, record.name, noted)
        if failure:
            log.warning("process %s: its source of iterations failed: %s", record.name, failure)
        if new is not None and new.window != record.window:
            self._new_window()


def _source_of(process: Process) -> str:
    """`module:Class` of a process whose iterations come from a class of its project; else empty."""
    trigger = process.trigger
    is_own = trigger is not None and trigger.slots == "iterations" and trigger.source.startswith(_PYTHON)
    return trigger.source.removeprefix(_PYTHON) if is_own and trigger is not None else ""
