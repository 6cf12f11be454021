"""AttemptClaims: lets workers claim attempts, report their progress and end them."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from scoopi.errors import BusyRecordError, FencedError, StateRefusedError
from scoopi.model.schedule.schedule_records import (
    CLAIMED,
    LIVE,
    TERMINAL,
    UNSETTLED,
    AttemptRecord,
    WorkerRecord,
)
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.scheduler.decisions import changed, requeued
from scoopi.scheduler.explaining.holders import condition
from scoopi.scheduler.placing.placement import may_take_over
from scoopi.serve.claims.claim import Claim
from scoopi.serve.claims.log_copies import LogCopies
from scoopi.serve.workers.worker_registry import known_worker
from scoopi.store.schedule.record_keys import record_key
from scoopi.store.schedule.schedule_store import ScheduleStore

log = logging.getLogger(__name__)
_REPORTED = "workers report on attempts that are running or canceling; scoopi attempt claim claims one"


class AttemptClaims:
    """The calls of workers for attempts: claim them, report their progress, end them or hand them back.

    A method that changes an attempt returns its new record.

    Args:
        store: the records.
        copies: copies the logs of attempts to the store; None for workers in other languages.
    """

    def __init__(self, store: ScheduleStore, copies: LogCopies | None = None) -> None:
        self._store = store
        self._copies = copies

    def claim(
        self,
        worker: str,
        now: datetime,
        names: Mapping[str, str] | None = None,
        limit: int = 1,
        schedule: Schedule | None = None,
        known: Sequence[AttemptRecord] | None = None,
    ) -> list[AttemptRecord]:
        """Claim waiting attempts within the worker's capacity: those placed on it first, older ones first.

        Args:
            names: for a worker registered by `worker put`: the external name of each process that it runs;
                such a worker may claim attempts that are assigned to no worker.
            limit: the most attempts to claim.
            schedule: if given, also claim attempts that another worker has not claimed in time.
            known: the open attempts, if they were just read; what has changed since is not claimed.
        Returns:
            The records of the claimed attempts, with their new fences.
        Raises:
            UsageError: the worker is not registered.
            StateRefusedError: `names` is given, and the worker is draining or lost, has signed off, or was
                removed.
        """
        record = known_worker(worker, self._store.get(WorkerRecord, [worker]).get(worker))
        if names is not None and record.state != "running":
            is_now, verb = condition(record), "beat" if condition(record) == "lost" else "put"
            hint = f"scoopi worker {verb} {worker} lets it claim again"
            raise StateRefusedError(f"worker {worker} is {is_now}, and gets no attempts", hint=hint)
        found = self._store.open_attempts() if known is None else known
        attempts = [each for each in found if each.phase == LIVE]
        running = sum(each.worker == worker and each.status != "waiting" for each in attempts)
        free = min(limit, int(record.capacity) - running)
        mine = [
            each
            for each in attempts
            if each.status == "waiting"
            and each.offer_at is None
            and (
                _may_claim(each, worker, names)
                or (schedule is not None and may_take_over(each, record.groups, schedule, now))
            )
        ]
        claimed: list[AttemptRecord] = []
        for attempt in sorted(mine, key=lambda each: (each.worker != worker, each.created, each.attempt)):
            if len(claimed) >= free:
                break
            fields = {"status": "running", "worker": worker, "started": now, "beat": now}
            new = changed(attempt, fence=attempt.fence + 1, op=uuid.uuid4().hex, **fields)
            with suppress(BusyRecordError):  # it is unchanged, and holds up none of the others
                if self._store.write(attempt, new):
                    claimed.append(new)
        return claimed

    def progress(
        self,
        attempt: AttemptRecord,
        fence: int | None,
        now: datetime,
        data: Mapping[str, Any] | None = None,
    ) -> AttemptRecord:
        """Report that an attempt is in progress.

        Args:
            fence: the fence of the claim; None for that of `attempt`.
            data: progress that a later attempt can continue from; empty keeps what was reported before.
        Returns:
            The new record; its status is `canceling` if the worker is to end the attempt.
        Raises:
            FencedError: the attempt is over or belongs to another worker.
        """
        fields = {"beat": now} | ({"progress": dict(data)} if data else {})
        return self._change(attempt, fence, lambda old: changed(old, **fields, **_seen(old, now)))

    def see_wish(self, attempt: AttemptRecord, now: datetime) -> AttemptRecord:
        """Record that the worker of an attempt has seen the request to cancel it.

        Raises:
            FencedError: the attempt is over or belongs to another worker.
        """
        return self._change(attempt, attempt.fence, lambda old: changed(old, **_seen(old, now)))

    def last_progress(self, attempt: AttemptRecord) -> dict[str, Any]:
        """Return the progress data of an attempt; if it has none, of the attempt before it. May be empty."""
        if attempt.progress or attempt.number == 1:
            return attempt.progress
        key = record_key(replace(attempt, number=attempt.number - 1))
        before = self._store.get(AttemptRecord, [key]).get(key)
        return {} if before is None else before.progress

    def end(
        self, attempt: AttemptRecord, fence: int | None, status: str, now: datetime, **fields: Any
    ) -> AttemptRecord:
        """End an attempt; with the status `not_ready` it is offered again, unless it is cancelled.

        Args:
            fence: the fence of the claim; None for that of `attempt`.
            status: one of `ENDS`.
            fields: further fields of the record, such as `outputs` and `explanation`.
        Raises:
            FencedError: the attempt is over or belongs to another worker.
        """
        fields |= self._copy_log(attempt) | {"ended": now}

        def over(old: AttemptRecord) -> AttemptRecord:
            kept = _kept(old, fields)
            if status == "not_ready" and old.wish != "cancel":
                return requeued(old, now, old.started, status="pending", worker="", **kept)
            return changed(old, status=_status(old, status), phase=UNSETTLED, **kept)

        return self._change(attempt, fence, over)

    def hand_back(self, attempt: AttemptRecord, now: datetime) -> AttemptRecord:
        """Offer an attempt again, as the same attempt; if it is to be cancelled, end it instead.

        Raises:
            FencedError: the attempt is over or belongs to another worker.
        """

        def handed_back(old: AttemptRecord) -> AttemptRecord:
            if old.wish == "cancel":
                return changed(old, status=old.outcome or "canceled", phase=UNSETTLED, ended=now, **kept)
            return requeued(old, now, old.started, status="waiting", worker="", placed=now, **kept)

        kept = self._copy_log(attempt)
        return self._change(attempt, attempt.fence, handed_back)

    def _copy_log(self, attempt: AttemptRecord) -> dict[str, bool]:
        """Copy the log, before the end is written; return the fields of the record that note the copy."""
        is_copied = self._copies is not None and self._copies.copy(Claim(attempt))
        return {"has_log": True} if is_copied else {}

    def _change(
        self,
        attempt: AttemptRecord,
        fence: int | None,
        change: Callable[[AttemptRecord], AttemptRecord],
    ) -> AttemptRecord:
        fence = attempt.fence if fence is None else fence

        def written(old: AttemptRecord | None) -> AttemptRecord:
            if old is None or old.status in TERMINAL:
                state = "removed" if old is None else old.status
                raise FencedError(f"{attempt.attempt} is over ({state})", hint=_REPORTED)
            if old.fence == fence and old.status not in CLAIMED:
                raise FencedError(f"{attempt.attempt} is {old.status}, and no worker has it", hint=_REPORTED)
            if old.fence != fence:
                what = f"{attempt.attempt} has fence {old.fence} and is {old.status}; {fence} is outdated"
                raise FencedError(what, hint="another worker may have claimed it")
            return change(old)

        record = self._store.update(AttemptRecord, record_key(attempt), written)
        assert record is not None
        return record


def _kept(old: AttemptRecord, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields to write; an empty `explanation` is replaced by the one that the attempt has."""
    return {**fields, **({"explanation": old.explanation} if fields.get("explanation") == "" else {})}


def _seen(old: AttemptRecord, now: datetime) -> dict[str, Any]:
    """The fields that note that the worker has seen a new cancel; empty if there is no new one."""
    is_new = old.wish == "cancel" and old.status == "running"
    return {"status": "canceling", "wish_seen": now} if is_new else {}


def _may_claim(attempt: AttemptRecord, worker: str, names: Mapping[str, str] | None) -> bool:
    return attempt.worker == worker or (not attempt.worker and names is not None and attempt.process in names)


def _status(attempt: AttemptRecord, status: str) -> str:
    """The status to record at the end of an attempt; after a cancel by a timeout, that of the timeout."""
    is_stopped = attempt.wish == "cancel" and status in ("canceled", "not_ready")
    return attempt.outcome or "canceled" if is_stopped else status
