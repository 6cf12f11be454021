"""Membership: this node's heartbeat, and which other nodes are live, have left or are dead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from scoopi.errors import RunError, StoreError
from scoopi.store.nodes.lease import SYSTEM_CLOCKS, LeaseWatch, NodeClocks
from scoopi.store.nodes.node_record import Load, Look, NodeRecord, NodeStatus
from scoopi.store.ports import MEMBERS, Change, Store, pages
from scoopi.store.record_codec import RecordCodec

PAGE = 500
READS = 5
"""Successful reads in a row without a new heartbeat of a dead node (ARCHITECTURE, protocol rule 8)."""


class Membership:
    """Sends this node's heartbeats, and knows which other nodes are live, have left or are dead.

    Heartbeats are in one map, a record an incarnation, kept until the run is over.

    One thread beats and watches; `own_beat_is_old` may be asked by any.

    Args:
        store: one whose answers are settled.
        incarnation: of this node.
        node: id of this node; an older incarnation of it is dead.
        heartbeat_ms: time between two heartbeats.
        gap_ms: the liveness gap.
    Source: ARCHITECTURE, protocol rules 7 and 8.
    """

    def __init__(
        self,
        store: Store,
        incarnation: str,
        node: str,
        heartbeat_ms: int = 1000,
        gap_ms: int = 15_000,
        clocks: NodeClocks = SYSTEM_CLOCKS,
    ) -> None:
        self._store = store
        self._incarnation = incarnation
        self._node = node
        self._heartbeat_ms = heartbeat_ms
        self._gap_ms = gap_ms
        self._clock = clocks.monotonic
        self._own_clock = clocks.boottime
        self._codec = RecordCodec(MEMBERS, NodeRecord)
        self._mine: bytes | None = None
        self._failed = self._start = 0
        self._beaten_at: float | None = None
        self._watches: dict[str, LeaseWatch] = {}
        self._dead: set[str] = set()
        self._last_look = Look(clocks.monotonic(), frozenset(), frozenset(), 1)

    @property
    def node(self) -> str:
        """This node's id."""
        return self._node

    def beat(
        self, load: Load, state: NodeStatus = NodeStatus.LIVE, may_return: Callable[[], bool] = lambda: True
    ) -> bool:
        """Write the next heartbeat; with LEFT it is the last one.

        Args:
            may_return: asked before a node that others have declared dead beats again.
        Returns:
            False: it was declared dead, may not return, and wrote nothing.
        Raises:
            StoreError: not acknowledged; beat again.
            RunError: the record is gone: the run's data is lost; or a later process is this node too.
        """
        while True:
            if self._is_declared_dead() and not may_return():
                return False
            if self._has_beaten(load, state):
                return True

    def _is_declared_dead(self) -> bool:
        return (
            self._mine is not None
            and self._codec.read(self._incarnation, self._mine).state is NodeStatus.DEAD
        )

    def _has_beaten(self, load: Load, state: NodeStatus) -> bool:
        """Whether the heartbeat was written; False: it knows its own record now, and continues from there."""
        sent_at = self._own_clock()
        number = 0 if self._mine is None else self._codec.read(self._incarnation, self._mine).number + 1
        former = self._mine
        if former is None:
            self._start = self._earlier()
        member = NodeRecord(self._node, number, state, *load, failed=self._failed, start=self._start)
        record = self._codec.written(member)
        self._failed += 1
        if former is None:
            outcome = self._store.put_if_absent_all(MEMBERS, [(self._incarnation, record)])[0]
        else:
            change = Change(self._incarnation, former, record)
            outcome = self._store.cas_all(MEMBERS, [change])[0]
        self._mine = outcome.current
        if outcome.current is None:
            raise RunError(
                f"the heartbeat of {self._node} is gone from the store: the run's data is lost",
                hint="start a new run",
            )
        if outcome.won:
            self._failed -= 1
            self._beaten_at = sent_at
            return True
        # It has beaten before, while it waited for the quorum; or others have declared it dead; or a
        # heartbeat that was given up came late, and this is its last one: LEFT must not be lost.
        is_dead = self._codec.read(self._incarnation, outcome.current).state is NodeStatus.DEAD
        if former is not None and is_dead:
            self._refuse_twin()
        if former is None or is_dead or state is NodeStatus.LEFT:
            return False
        raise StoreError(f"an earlier heartbeat of {self._node} came late", hint="beat again")

    def _refuse_twin(self) -> None:
        """Two processes with one id would each take the other for its own dead incarnation, endlessly."""
        for incarnation, member in self.read().items():
            is_later = (member.start, incarnation) > (self._start, self._incarnation)
            if member.node == self._node and member.state is NodeStatus.LIVE and is_later:
                raise RunError(
                    f"another process that started later is node {self._node} too: this one stops",
                    hint="give each node an id of its own (scoopi.cluster.node), or none",
                )

    def own_beat_is_old(self) -> bool:
        """No heartbeat was acknowledged for half the gap: take no job and send no request."""
        beaten_at = self._beaten_at
        return beaten_at is None or self._own_clock() - beaten_at > self._gap_ms / 2000

    def watch(self) -> set[str]:
        """Read all heartbeats; the incarnations that are dead. To be called every heartbeat.

        A dead one is returned each time until it beats again. It is marked in its record too, for nodes that
        join later and have not watched for a gap.
        """
        began_at = self._clock()
        try:
            records = self._records()
        except StoreError:
            for watch in self._watches.values():
                watch.interrupt()
            raise
        silent = [
            (incarnation, record) for incarnation, record in records if self._is_dead(incarnation, record)
        ]
        self._dead = self._declared_dead(silent)
        members = {key: self._codec.read(key, record) for key, record in records if key not in self._dead}
        left = {key for key, member in members.items() if member.state is NodeStatus.LEFT}
        live = [member for key, member in members.items() if key not in left]
        idle = all(member.idle for member in live)
        self._last_look = Look(began_at, frozenset(self._dead), frozenset(left), max(1, len(live)), idle=idle)
        return set(self._dead)

    @property
    def last_look(self) -> Look:
        """What the last `watch` showed; may be asked by any thread."""
        return self._last_look

    def live(self) -> dict[str, NodeRecord]:
        """The incarnations, this one too, that have not left and were not dead at the last watch."""
        return self.live_among(self.read())

    def live_among(self, members: Mapping[str, NodeRecord]) -> dict[str, NodeRecord]:
        """Those of the records, as just read, that are live."""
        return {
            key: member
            for key, member in members.items()
            if member.state is NodeStatus.LIVE and key not in self._dead
        }

    def read(self) -> dict[str, NodeRecord]:
        """All records by incarnation."""
        return {key: self._codec.read(key, record) for key, record in self._records()}

    def _earlier(self) -> int:
        """How many incarnations this node had before."""
        others = (member for key, member in self.read().items() if key != self._incarnation)
        return sum(member.node == self._node for member in others)

    def _records(self) -> list[tuple[str, bytes]]:
        return [record for page in pages(self._store, MEMBERS, PAGE) for record in page]

    def _declared_dead(self, silent: Sequence[tuple[str, bytes]]) -> set[str]:
        """Mark these as dead in their records; one that has beaten since keeps its record, and is alive."""
        members = [(key, record, self._codec.read(key, record)) for key, record in silent]
        changes = [
            Change(key, record, self._codec.written(replace(member, state=NodeStatus.DEAD)))
            for key, record, member in members
            if member.state is not NodeStatus.DEAD
        ]
        outcomes = zip(changes, self._store.cas_all(MEMBERS, changes), strict=True)
        awake = {change.key for change, outcome in outcomes if self._is_live(change.key, outcome.current)}
        return {key for key, _ in silent} - awake

    def _is_live(self, incarnation: str, record: bytes | None) -> bool:
        return record is not None and self._codec.read(incarnation, record).state is not NodeStatus.DEAD

    def _is_dead(self, incarnation: str, record: bytes) -> bool:
        member = self._codec.read(incarnation, record)
        if incarnation == self._incarnation or member.state is NodeStatus.LEFT:
            return False
        if member.node == self._node or member.state is NodeStatus.DEAD:
            return True
        watch = self._watches.get(incarnation)
        if watch is None:
            # A little less than a heartbeat, so that each look of a punctual watcher counts.
            watch = LeaseWatch(self._gap_ms, self._clock, READS, self._heartbeat_ms * 9 // 10)
            self._watches[incarnation] = watch
        return watch.is_lost(record)
