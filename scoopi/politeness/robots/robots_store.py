"""RobotsStore: the robots.txt of each host as the store keeps it; only one of the nodes reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum

import msgspec

from scoopi.model.robots import RobotsAnswer
from scoopi.store.ports import ROBOTS, Change, Store
from scoopi.store.record_codec import RecordCodec


class RobotsRecord(msgspec.Struct, frozen=True, array_like=True):
    """One host's record.

    Attributes:
        by: the incarnation that reads the file, or has read it; empty if it did not read it after all.
        answer: None while it is being read.
    """

    by: str
    answer: RobotsAnswer | None = None


class RobotsReader(Enum):
    """Which node reads a robots.txt that is not known yet."""

    THIS_NODE = 1
    ANOTHER = 2


class RobotsStore:
    """Keeps the robots.txt of each host in the store; only one of the nodes reads it.

    There is one record per host and run, so a file is read once, even after a crash or `resume`.

    Every method raises StoreError if the store does not answer; call it again.

    Args:
        store: one that settles its writes.
        incarnation: incarnation of this node.
        is_gone: whether an incarnation is dead or has left; called for claims only.
    Source: ARCHITECTURE, protocol rule 1.
    """

    def __init__(self, store: Store, incarnation: str, is_gone: Callable[[str], bool]) -> None:
        self._store = store
        self._incarnation = incarnation
        self._is_gone = is_gone
        self._codec = RecordCodec(ROBOTS, RobotsRecord, packed=True)
        self._claim = self._codec.encode(RobotsRecord(incarnation))
        self._released = self._codec.encode(RobotsRecord(""))

    def open(self, hosts: Sequence[str]) -> dict[str, RobotsAnswer | RobotsReader]:
        """The answer of each host, or which node reads it; a host without a reader gets this node."""
        found = self._store.get_all(ROBOTS, hosts)
        new = [host for host in hosts if host not in found]
        if new:
            outcomes = self._store.put_if_absent_all(ROBOTS, [(host, self._claim) for host in new])
            found |= {
                host: outcome.current or self._claim for host, outcome in zip(new, outcomes, strict=True)
            }
        left = [
            Change(host, raw, self._claim)
            for host, raw in found.items()
            if (record := self._codec.read(host, raw)).answer is None and self._is_left(record.by)
        ]
        if left:
            for change, outcome in zip(left, self._store.cas_all(ROBOTS, left), strict=True):
                found[change.key] = self._claim if outcome.won else outcome.current or self._claim
        return {host: self._state(host, raw) for host, raw in found.items()}

    def close(self, answers: Mapping[str, RobotsAnswer]) -> None:
        """Store what this node has read, unless another node has stored an answer meanwhile."""
        changes = [
            Change(host, self._claim, self._codec.encode(RobotsRecord(self._incarnation, answer)))
            for host, answer in answers.items()
        ]
        if changes:
            self._store.cas_all(ROBOTS, changes)

    def release(self, hosts: Sequence[str]) -> None:
        """Let any node read the files of these hosts, which this node was to read."""
        if hosts:
            self._store.cas_all(ROBOTS, [Change(host, self._claim, self._released) for host in hosts])

    def _is_left(self, reader: str) -> bool:
        return not reader or (reader != self._incarnation and self._is_gone(reader))

    def _state(self, host: str, raw: bytes) -> RobotsAnswer | RobotsReader:
        record = self._codec.read(host, raw)
        if record.answer is not None:
            return record.answer
        return RobotsReader.THIS_NODE if record.by == self._incarnation else RobotsReader.ANOTHER
