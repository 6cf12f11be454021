"""NoticeSender: sends pending notices, each once, in a process of its own with a time limit."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any

from scoopi.errors import ScoopiError, StoreError
from scoopi.model.schedule.notice_record import CLOSED, OPEN, NoticeRecord
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.periods.slot import instant_text
from scoopi.scheduler.decisions import changed
from scoopi.store.schedule.schedule_store import ScheduleStore

log = logging.getLogger(__name__)
LIMIT_S = 60.0
"""How long a target may take."""
LEASE = timedelta(seconds=180)
"""From a claim until another worker may send the notice: its sender has ended by then, whatever happened."""
_MOST = 4
_POLL_S = 0.05
_TAIL_BYTES = 2000


@dataclass(slots=True)
class _Sending:
    notice: NoticeRecord
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    ends: float
    is_late: bool = False


class NoticeSender:
    """Sends pending notices in processes beside the attempts, a few at a time. Belongs to one thread.

    A notice is claimed before it is sent, so that one of several workers sends it. A failure is recorded and
    logged, and not retried. Only if the sender crashes does another one send the notice, later.

    Args:
        store: the records.
        project: returns the folder of a bundle by its hash.
        worker: this process's worker; it sends only if it is in the group `default`. None: send nothing.
        environ: the environment of targets.
        limit_s: the longest time, in seconds, that a target may take.
    """

    def __init__(
        self,
        store: ScheduleStore,
        project: Callable[[str], Path],
        worker: WorkerRecord | None,
        environ: Mapping[str, str],
        limit_s: float = LIMIT_S,
    ) -> None:
        self._store, self._project = store, project
        self._holder = worker.incarnation if worker is not None and "default" in worker.groups else ""
        self._environ, self._limit_s = environ, limit_s
        self._under_way: list[_Sending] = []

    def wait_s(self) -> float:
        """Return the seconds until the next turn has something to do, as far as known."""
        return _POLL_S if self._under_way else float("inf")

    def turn(self, now: datetime) -> None:
        """Record what has ended, kill what takes too long, and start sending pending notices.

        Raises:
            StoreError: the store does not answer; the next turn continues.
        """
        for sending in [*self._under_way]:
            self._look(sending, now)
        if not self._holder or len(self._under_way) >= _MOST:
            return
        for notice in self._store.scan(NoticeRecord, OPEN):
            if len(self._under_way) >= _MOST:
                return
            if notice.until is None or now > notice.until:
                claimed = changed(notice, holder=self._holder, until=now + LEASE)
                if self._store.write(notice, claimed):
                    self._begin(claimed, now)

    def has_open(self) -> bool:
        """Whether any process is sending a notice, or one that this process may send is pending."""
        if not self._holder:
            return False
        return bool(self._under_way) or any(True for _ in self._store.scan(NoticeRecord, OPEN))

    def close(self) -> None:
        """Kill all running targets; another worker sends their notices when the leases of the claims end."""
        for sending in self._under_way:
            _kill(sending.process)
            sending.output.close()
        self._under_way.clear()

    def _begin(self, notice: NoticeRecord, now: datetime) -> None:
        output = tempfile.TemporaryFile()  # noqa: SIM115  closed when the process has ended
        try:
            order = {
                "parent": os.getpid(),
                "project": str(self._project(notice.bundle).resolve()),
                "via": notice.via,
                "message": message_of(notice),
            }
            process = subprocess.Popen(
                [sys.executable, "-m", "scoopi.serve.notices.notice_call"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env={**self._environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
                start_new_session=True,
            )
            assert process.stdin is not None
            with process.stdin as stdin:
                stdin.write(json.dumps(order).encode())
        except (ScoopiError, OSError) as error:
            output.close()
            if isinstance(error, StoreError):
                raise
            self._close(notice, str(error), now)
        else:
            self._under_way.append(_Sending(notice, process, output, time.monotonic() + self._limit_s))

    def _look(self, sending: _Sending, now: datetime) -> None:
        code = sending.process.poll()
        if code is None and time.monotonic() >= sending.ends and not sending.is_late:
            sending.is_late = True
            _kill(sending.process)
            code = sending.process.returncode
        if code is None:
            return
        failure = f"took longer than {self._limit_s:g} s" if sending.is_late else _failure(code, sending)
        self._close(sending.notice, failure, now)
        self._under_way.remove(sending)
        sending.output.close()

    def _close(self, notice: NoticeRecord, failure: str, now: datetime) -> None:
        if failure:
            what = f"{notice.attempt or notice.job} {notice.event}"
            log.warning("notify: %s was not sent by %s: %s", what, notice.via[0], failure)
        self._store.write(notice, changed(notice, phase=CLOSED, closed=now, failure=failure))


def message_of(notice: NoticeRecord) -> dict[str, Any]:
    """Return the message that a target gets: `text` is a sentence, the other values are its parts."""
    what = notice.attempt or notice.job
    reason = f": {notice.reason}" if notice.reason else ""
    return {
        "event": notice.event,
        "process": notice.process,
        "slot": notice.slot,
        "job": notice.job,
        "attempt": notice.attempt or None,
        "reason": notice.reason or None,
        "at": instant_text(notice.at),
        "text": f"{what}: {notice.event.replace('_', ' ')}{reason}",
    }


def _failure(code: int, sending: _Sending) -> str:
    if code == 0:
        return ""
    sending.output.seek(0, os.SEEK_END)
    sending.output.seek(max(0, sending.output.tell() - _TAIL_BYTES))
    lines = sending.output.read().decode(errors="replace").strip().splitlines()
    how = f"exit code {code}" if code > 0 else f"killed by signal {-code}"
    return f"{how}: {lines[-1]}" if lines else how


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
