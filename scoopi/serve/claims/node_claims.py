"""NodeClaims: lets a worker claim, report on and end the further nodes of attempts."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime

from msgspec.structs import replace

from scoopi.errors import BusyRecordError, FencedError
from scoopi.model.schedule.run_node import RunNode
from scoopi.model.schedule.schedule_records import LIVE, AttemptRecord, WorkerRecord
from scoopi.scheduler.decisions import changed
from scoopi.scheduler.placing.run_nodes import claiming_workers, may_join, node_of, with_node
from scoopi.serve.claims.claim import Claim
from scoopi.serve.claims.log_copies import LogCopies
from scoopi.store.schedule.record_keys import record_key
from scoopi.store.schedule.schedule_store import ScheduleStore


class NodeClaims:
    """The calls of a worker for further nodes of attempts: claim them, report on them, end them.

    Each node has a fence of its own, so a node that is lost is placed again while the attempt continues.

    Args:
        store: the records.
        worker: the name of the worker that calls.
        copies: copies the logs of nodes to the store; None if other workers see the same folders.
    """

    def __init__(self, store: ScheduleStore, worker: str, copies: LogCopies | None = None) -> None:
        self._store = store
        self._worker = worker
        self._copies = copies

    def claim(self, now: datetime, limit: int, known: Sequence[AttemptRecord] | None = None) -> list[Claim]:
        """Claim nodes that are placed on this worker, within its capacity.

        Args:
            limit: the most nodes.
            known: the open attempts, if they were just read.
        """
        attempts = self._store.open_attempts() if known is None else known
        mine = [
            Claim(attempt, node.number)
            for attempt in attempts
            if may_join(attempt)
            for node in attempt.nodes
            if node.status == "placed" and node.worker == self._worker
        ]
        record = self._store.get(WorkerRecord, [self._worker]).get(self._worker) if mine else None
        if record is None:
            return []
        used = sum(claiming_workers(attempt).count(self._worker) for attempt in attempts)
        free = min(limit, int(record.capacity) - used)
        claimed = (self._claimed(each, now) for each in mine[: max(0, free)])
        return [claim for claim in claimed if claim is not None]

    def progress(self, claim: Claim, now: datetime) -> None:
        """Report that a node works on its attempt.

        Raises:
            FencedError: the attempt is over, or the node belongs to another worker.
        """
        self._change(claim, lambda record, node: changed(record, beat=now))

    def end(self, claim: Claim, explanation: str = "") -> None:
        """End a node; the other nodes of its run continue.

        Args:
            explanation: why the node ended early; empty if its work was complete.
        Raises:
            FencedError: as `progress`.
        """
        self._copy_log(claim)
        self._change(
            claim,
            lambda record, node: with_node(record, replace(node, status="ended", explanation=explanation)),
        )

    def hand_back(self, claim: Claim) -> None:
        """Offer a node again.

        Raises:
            FencedError: as `progress`.
        """
        self._copy_log(claim)
        self._change(claim, lambda record, node: with_node(record, replace(node, status="free", worker="")))

    def left(self) -> list[Claim]:
        """Return the nodes that run on this worker according to the records."""
        return [
            Claim(attempt, node.number)
            for attempt in self._store.open_attempts()
            if attempt.phase == LIVE
            for node in attempt.nodes
            if node.status == "running" and node.worker == self._worker
        ]

    def _copy_log(self, claim: Claim) -> None:
        """Copy the log of a node, before its end is written."""
        if self._copies is not None:
            self._copies.copy(claim)

    def _claimed(self, claim: Claim, now: datetime) -> Claim | None:
        """Claim a node, with the next fence; None if it was placed elsewhere, or its attempt has ended."""

        def written(old: AttemptRecord | None) -> AttemptRecord | None:
            node = None if old is None else node_of(old, claim.node)
            if old is None or node is None or not may_join(old):
                return None
            if (node.status, node.worker) != ("placed", self._worker):
                return None
            running = replace(node, status="running", fence=node.fence + 1, started=now, op=uuid.uuid4().hex)
            return with_node(old, running)

        record = None
        with suppress(BusyRecordError):  # it is unchanged, and holds up none of the others
            record = self._store.update(AttemptRecord, record_key(claim.attempt), written)
        return None if record is None else Claim(record, claim.node)

    def _change(self, claim: Claim, change: Callable[[AttemptRecord, RunNode], AttemptRecord]) -> None:
        def written(old: AttemptRecord | None) -> AttemptRecord:
            node = None if old is None else node_of(old, claim.node)
            if old is None or node is None or not claim.counts_in(old):
                hint = "its attempt is over, or another worker has claimed it"
                raise FencedError(f"{claim.name} does not count any more", hint=hint)
            return change(old, node)

        self._store.update(AttemptRecord, record_key(claim.attempt), written)
