"""SourceAsker: asks the sources that define a project's iterations, each in a process with a time limit."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from scoopi.errors import ScoopiError, StoreError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.planning.looks import last_look
from scoopi.store.schedule.schedule_store import ScheduleStore

log = logging.getLogger(__name__)
LIMIT_S = 10.0
"""How long a source may take."""
LEASE = timedelta(seconds=20)
"""From a question until another process may ask, because the one that asked has crashed."""
_LOOK_S = 0.5
"""How often records are read to see which sources are to be asked."""
_POLL_S = 0.05
_TAIL_BYTES = 2000
_PYTHON = "python:"


@dataclass(slots=True)
class _Question:
    record: ProcessRecord
    look: datetime
    process: subprocess.Popen[bytes]
    answer: int
    output: IO[bytes]
    ends: float


class SourceAsker:
    """Asks sources of iterations whenever their process is checked, in processes beside all other work.

    A pass uses their last answers only, so that no source can delay it. A source that fails keeps its last
    window; the failure is logged and recorded at its process. Belongs to one thread.

    Args:
        store: the records.
        current: returns the hash of the current definitions, and the definitions.
        project: returns the folder of a bundle by its hash.
        environ: the environment of the processes.
        answered: called when a window has changed.
        limit_s: the longest time, in seconds, that a source may take.
    """

    def __init__(
        self,
        store: ScheduleStore,
        current: Callable[[], tuple[str, Schedule]],
        project: Callable[[str], Path],
        environ: Mapping[str, str],
        answered: Callable[[], object] = lambda: None,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._store, self._current, self._project = store, current, project
        self._environ, self._answered, self._limit_s = environ, answered, limit_s
        self._open: dict[str, _Question] = {}
        self._next = 0.0

    def wait_s(self) -> float:
        """Return the seconds until the next turn has something to do, as far as known."""
        return _POLL_S if self._open else float("inf")

    def is_asking(self) -> bool:
        """Whether a source has not answered yet."""
        return bool(self._open)

    def turn(self, now: datetime) -> None:
        """Record answers, kill what takes too long, and ask the sources that are due.

        Raises:
            StoreError: the store does not answer; the next turn continues.
        """
        for name in [*self._open]:
            self._look(name)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _LOOK_S
            self._ask(now)

    def ask_all(self, now: datetime) -> None:
        """Ask the sources that are due and wait for all answers; for a single pass."""
        self._ask(now)
        with selectors.DefaultSelector() as selector:
            for question in self._open.values():
                selector.register(question.answer, selectors.EVENT_READ)
            while self._open:
                selector.select(_POLL_S)
                for name in [*self._open]:
                    answer = self._open[name].answer
                    if self._look(name):
                        selector.unregister(answer)

    def close(self) -> None:
        """Kill all running sources; they are asked again later."""
        for question in self._open.values():
            _end(question)
        self._open.clear()

    def _ask(self, now: datetime) -> None:
        bundle, schedule = self._current()
        processes = {name: process for name, process in schedule.processes.items() if _source_of(process)}
        records = self._store.get(ProcessRecord, [*processes]) if processes else {}
        for name, record in records.items():
            look = last_look(processes[name], record, now)
            is_due = record.asked is None or record.asked < look
            is_free = record.asking_until is None or not now <= record.asking_until <= now + LEASE
            if name not in self._open and is_due and is_free:
                claimed = changed(record, asking_until=now + LEASE)
                if self._store.write(record, claimed):
                    self._begin(claimed, processes[name], bundle, look, now)

    def _begin(
        self, record: ProcessRecord, process: Process, bundle: str, look: datetime, now: datetime
    ) -> None:
        read_end, write_end = os.pipe()
        output = tempfile.TemporaryFile()  # noqa: SIM115  closed when the process has ended
        try:
            order = {
                "parent": os.getpid(),
                "project": str(self._project(bundle).resolve()),
                "source": _source_of(process),
                "now": now.isoformat(),
                "lookback": process.lookback,
                "answer": write_end,
            }
            child = subprocess.Popen(
                [sys.executable, "-m", "scoopi.serve.sources.source_call"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env={**self._environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
                pass_fds=(write_end,),
                start_new_session=True,
            )
            assert child.stdin is not None
            with child.stdin as stdin:
                stdin.write(json.dumps(order).encode())
        except (ScoopiError, OSError) as error:
            output.close()
            os.close(read_end)
            if isinstance(error, StoreError):
                raise
            self._note(record, look, None, str(error))
        else:
            ends = time.monotonic() + self._limit_s
            self._open[record.name] = _Question(record, look, child, read_end, output, ends)
        finally:
            os.close(write_end)

    def _look(self, name: str) -> bool:
        """See what has become of a question; whether it is over."""
        question = self._open[name]
        code = question.process.poll()
        is_late = code is None and time.monotonic() >= question.ends
        if code is None and not is_late:
            return False
        window, failure = None, f"took longer than {self._limit_s:g} s"
        if not is_late:
            window, failure = _answer(question, code or 0)
        _end(question)
        del self._open[name]
        self._note(question.record, question.look, window, failure)
        return True

    def _note(self, record: ProcessRecord, look: datetime, window: list[int] | None, failure: str) -> None:
        if failure:
            log.warning("process %s: its source of iterations failed: %s", record.name, failure)

        def noted(old: ProcessRecord | None) -> ProcessRecord | None:
            if old is None:
                return None
            numbers = old.window if window is None else tuple(window)
            return changed(old, window=numbers, asked=look, asking_until=None, source_error=failure)

        self._store.update(ProcessRecord, record.name, noted)
        self._answered()


def _source_of(process: Process) -> str:
    """`module:Class` of a process whose iterations come from a class of its project; else empty."""
    trigger = process.trigger
    is_own = trigger is not None and trigger.slots == "iterations" and trigger.source.startswith(_PYTHON)
    return trigger.source.removeprefix(_PYTHON) if is_own and trigger is not None else ""


def _answer(question: _Question, code: int) -> tuple[list[int] | None, str]:
    """The window of a process that has ended, or why there is none."""
    os.set_blocking(question.answer, False)
    data = b""
    with contextlib.suppress(BlockingIOError):
        while part := os.read(question.answer, 65_536):
            data += part
    if code == 0 and data:
        window: list[int] = json.loads(data)
        return window, ""
    question.output.seek(0, os.SEEK_END)
    question.output.seek(max(0, question.output.tell() - _TAIL_BYTES))
    lines = question.output.read().decode(errors="replace").strip().splitlines()
    how = f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
    return None, lines[-1] if lines else how


def _end(question: _Question) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(question.process.pid, signal.SIGKILL)
    question.process.wait()
    os.close(question.answer)
    question.output.close()
