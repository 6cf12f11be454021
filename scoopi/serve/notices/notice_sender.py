"""NoticeSender: sends pending notices; those about one process become one message."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scoopi.errors import BusyRecordError, DamagedBundleError, UsageError
from scoopi.model.schedule.notice_record import CLOSED, OPEN, NoticeRecord
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.model.text.shown import as_utf8
from scoopi.periods.slot import instant_text
from scoopi.scheduler.decisions import changed
from scoopi.serve.background_process import BackgroundProcess
from scoopi.serve.clock import PollTimer
from scoopi.store.schedule.schedule_store import ScheduleStore

log = logging.getLogger(__name__)
LIMIT_S = 60.0
"""How many seconds a target may take."""
LEASE = timedelta(seconds=180)
"""From a claim until another worker may send the notices: by then, the target has been killed."""
TOGETHER = timedelta(minutes=5)
"""From the first event of a process until the message that has this event and those that followed."""
MOST_LINES = 20
"""The most events in the text of a message; its `events` has all."""
_MOST = 4
"""The most targets that run at a time."""
READ_EVERY_S = 1.0
"""How often the records are read to find the notices that are due."""
_CHECK_EVERY_S = 0.05
"""How often running targets are checked for their end and their time limit."""
_PROGRAM = "scoopi.serve.notices.notice_call"
_Group = tuple[str, tuple[str, ...]]
"""A process and a target."""


def message_of(notices: Sequence[NoticeRecord]) -> dict[str, Any]:
    """Return the message about events of one process: its name as `process`, `text`, and `events`.

    The text of one event is one line; that of several has a heading, and lines for up to `MOST_LINES`.
    """
    events = [_event(notice) for notice in notices]
    lines = [event["text"] for event in events]
    if len(lines) > 1:
        left_out = len(lines) - MOST_LINES
        more = [f"… and {left_out} more"] if left_out > 0 else []
        lines = [f"{len(lines)} events of {notices[0].process}:", *lines[:MOST_LINES], *more]
    return {"process": notices[0].process, "text": "\n".join(lines), "events": events}


def _event(notice: NoticeRecord) -> dict[str, Any]:
    what = notice.attempt or notice.job
    reason = f": {notice.reason}" if notice.reason else ""
    return {
        "event": notice.event,
        "slot": notice.slot,
        "job": notice.job,
        "attempt": notice.attempt or None,
        "reason": notice.reason or None,
        "at": instant_text(notice.at),
        "text": f"{what}: {notice.event.replace('_', ' ')}{reason}",
    }


@dataclass(slots=True)
class _Sending:
    notices: list[NoticeRecord]
    call: BackgroundProcess


class NoticeSender:
    """Sends pending notices, a few at a time: calls their targets in processes. Belongs to one thread.

    Notices of one process for one target within `TOGETHER` become one message. Each is claimed before it is
    sent, the first of a message before the others, so of several workers one sends it. A failure is recorded
    and logged, and not retried. Only if the sender crashes does another one send them, later.

    Args:
        store: the records.
        project: returns the folder of a bundle by its digest.
        worker: this process's worker; it sends only if it is in the group `default`. None: send nothing.
        environ: the environment of targets.
        limit_s: the longest time, in seconds, that a target may take.
        read_every_s: how often, in seconds, the records are read to find the notices that are due.
    """

    def __init__(
        self,
        store: ScheduleStore,
        project: Callable[[str], Path],
        worker: WorkerRecord | None,
        environ: Mapping[str, str],
        limit_s: float = LIMIT_S,
        read_every_s: float = READ_EVERY_S,
    ) -> None:
        self._store, self._project = store, project
        self._holder = worker.incarnation if worker is not None and "default" in worker.groups else ""
        self._environ, self._limit_s = environ, limit_s
        self._under_way: list[_Sending] = []
        self._unwritten: list[tuple[NoticeRecord, NoticeRecord]] = []
        self._is_hurried = False
        self._poll = PollTimer(read_every_s)

    def wait_s(self) -> float:
        """Return the seconds until the next turn has something to do, as far as known."""
        return _CHECK_EVERY_S if self._under_way or self._is_hurried else float("inf")

    def turn(self, now: datetime) -> None:
        """Record which messages were sent, kill targets that exceed the time limit, and send what is due.

        Raises:
            StoreError: the store does not answer; the next turn continues.
        """
        for sending in [*self._under_way]:
            self._check(sending, now)
        if self._holder and len(self._under_way) < _MOST and (self._is_hurried or self._poll.is_due()):
            self._begin_due(now)
        for old, new in [*self._unwritten]:
            if self._written(old, new) is not None:
                self._unwritten.remove((old, new))

    def expedite(self) -> None:
        """From now on, send pending notices without waiting for more, as this process is about to end."""
        self._is_hurried = True

    def has_open(self) -> bool:
        """Whether a notice is pending, or being sent by any process; False if this process sends none."""
        if not self._holder:
            return False
        return bool(self._under_way) or any(True for _ in self._store.scan(NoticeRecord, OPEN))

    def close(self) -> None:
        """Kill all running targets; another worker sends their notices when the leases of the claims end."""
        for sending in self._under_way:
            sending.call.close()
        self._under_way.clear()

    def _begin_due(self, now: datetime) -> None:
        groups: dict[_Group, list[NoticeRecord]] = {}
        for notice in self._store.scan(NoticeRecord, OPEN):
            groups.setdefault((notice.process, notice.via), []).append(notice)
        for notices in groups.values():
            free = [each for each in notices if each.until is None or now > each.until]
            free.sort(key=lambda each: (each.at, _follows(each), each.notice))
            if free and (self._is_hurried or _is_due(free[0], now)):
                claimed = self._claimed(free, now)
                if claimed:
                    self._begin(claimed, now)
            if len(self._under_way) >= _MOST:
                return
        self._is_hurried = self._is_hurried and bool(groups)

    def _claimed(self, notices: list[NoticeRecord], now: datetime) -> list[NoticeRecord]:
        """Claim notices, and return those that were claimed; none if another worker has claimed the first."""
        claimed: list[NoticeRecord] = []
        for notice in notices:
            own = changed(notice, holder=self._holder, until=now + LEASE)
            is_won = self._written(notice, own)
            if is_won:
                claimed.append(own)
            elif is_won is False and not claimed:
                break
        return claimed

    def _written(self, old: NoticeRecord, new: NoticeRecord) -> bool | None:
        """Whether a record was written; False if another worker was first, None if it is busy."""
        try:
            return self._store.write(old, new)
        except BusyRecordError as error:
            log.info("notify: the record %s is not written yet: %s", old.notice, error)
            return None

    def _begin(self, notices: list[NoticeRecord], now: datetime) -> None:
        last = notices[-1]
        try:
            project = str(self._project(last.bundle).resolve())
            request = {"project": project, "via": last.via, "message": message_of(notices)}
            call = BackgroundProcess(_PROGRAM, request, self._environ, self._limit_s)
        except (DamagedBundleError, UsageError, OSError) as error:
            self._close(notices, str(error), now)
        else:
            self._under_way.append(_Sending(notices, call))

    def _check(self, sending: _Sending, now: datetime) -> None:
        if sending.call.is_over():
            self._close(sending.notices, sending.call.failure(), now)
            self._under_way.remove(sending)
            sending.call.close()

    def _close(self, notices: list[NoticeRecord], failure: str, now: datetime) -> None:
        failure = as_utf8(failure)  # it may name any path
        if failure:
            first = notices[0]
            more = f" and {len(notices) - 1} more" if len(notices) > 1 else ""
            what = f"{first.attempt or first.job} {first.event}{more}"
            log.warning("notify: %s was not sent by %s: %s", what, first.via[0], failure)
        ends = (changed(notice, phase=CLOSED, closed=now, failure=failure) for notice in notices)
        self._unwritten += zip(notices, ends, strict=True)


def _is_due(first: NoticeRecord, now: datetime) -> bool:
    """Whether the wait for further events is over: also after a claim, or if a clock was set back."""
    return first.until is not None or not first.at - TOGETHER <= now < first.at + TOGETHER


def _follows(notice: NoticeRecord) -> bool:
    """Whether an event is listed after those of attempts at the same time: any of a job but its creation."""
    return not notice.attempt and notice.event != "embryo"
