"""Claim: what a worker has claimed: an attempt, or a further node of its run."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from scoopi.model.schedule.run_node import FIRST_NODE
from scoopi.model.schedule.schedule_records import CLAIMED, LIVE, TERMINAL, AttemptRecord
from scoopi.scheduler.placing.run_nodes import node_of


class Claim(NamedTuple):
    """What a worker has claimed: an attempt, or a further node of its run.

    Attributes:
        attempt: its record, as it was when it was claimed or read last.
        node: 1 is the attempt itself.
    """

    attempt: AttemptRecord
    node: int = FIRST_NODE

    @property
    def name(self) -> str:
        """The id of the attempt, for messages; for a further node of its run with the node's number."""
        return self.attempt.attempt if self.is_first else f"{self.attempt.attempt} node {self.node}"

    @property
    def is_first(self) -> bool:
        """Whether the claim is one of the attempt itself, not of a further node."""
        return self.node == FIRST_NODE

    @property
    def fence(self) -> int:
        """The fence of the claim: writes with it are rejected once there is a later claim."""
        if self.is_first:
            return self.attempt.fence
        node = node_of(self.attempt, self.node)
        return 0 if node is None else node.fence

    @property
    def key(self) -> tuple[str, int, int]:
        """The key of this claim; an earlier claim of the same attempt or node has another one."""
        return self.attempt.attempt, self.node, self.fence

    @property
    def worker(self) -> str:
        """The worker that has the attempt or node, or had it last; empty if none."""
        if self.is_first:
            return self.attempt.worker
        node = node_of(self.attempt, self.node)
        return "" if node is None else node.worker

    @property
    def exists(self) -> bool:
        """Whether the attempt has this node."""
        return self.is_first or node_of(self.attempt, self.node) is not None

    @property
    def is_over(self) -> bool:
        """Whether the attempt has ended; for a claim of a further node also whether that node has."""
        node = node_of(self.attempt, self.node)
        return self.attempt.status in TERMINAL or (node is not None and node.status == "ended")

    @property
    def has_started(self) -> bool:
        """Whether the attempt or node was ever claimed."""
        return self.fence > 0

    def seconds(self, now: datetime) -> float:
        """For how many seconds the attempt or node has run by its record; 0 if that is not known."""
        node = node_of(self.attempt, self.node)
        started = self.attempt.started if self.is_first else None if node is None else node.started
        return 0.0 if started is None else max(0.0, (now - started).total_seconds())

    def counts_in(self, record: AttemptRecord) -> bool:
        """Whether the claim still counts, by the record of its attempt as it is now."""
        if self.is_first:
            return record.fence == self.fence and record.status in CLAIMED
        node = node_of(record, self.node)
        if record.phase != LIVE or node is None:
            return False
        return node.status == "running" and node.fence == self.fence
