"""Membership: sends this node's heartbeats, and finds which nodes are live, have left or are dead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from scoopi.errors import RunError, StoreError
from scoopi.store.nodes.lease import SYSTEM_CLOCKS, LeaseWatch, NodeClocks
from scoopi.store.nodes.node_record import NodeLoad, NodeRecord, NodeScan, NodeStatus
from scoopi.store.ports import NODES, PAGE, Change, Store, pages
from scoopi.store.record_codec import RecordCodec

HEARTBEAT_MS = 1000
GAP_MS = 15_000
"""For nodes without settings of a cluster, as HEARTBEAT_MS is."""
READS = 5
"""Consecutive successful reads without a new heartbeat before a node is dead (protocol rule 8)."""


class Membership:
    """Sends this node's heartbeats, and finds which other nodes are live, have left or are dead.

    Heartbeats are in one map, one record per incarnation, which is kept until the run is over.

    One thread calls `beat` and `watch`; any thread may call `own_beat_is_old` and `last_scan`.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node.
        node: id of this node; an older incarnation of it is dead.
        heartbeat_ms: interval of heartbeats.
        gap_ms: the liveness gap: a node without a heartbeat for this long is dead.
    Source: ARCHITECTURE, protocol rules 7 and 8.
    """

    def __init__(
        self,
        store: Store,
        incarnation: str,
        node: str,
        heartbeat_ms: int = HEARTBEAT_MS,
        gap_ms: int = GAP_MS,
        clocks: NodeClocks = SYSTEM_CLOCKS,
    ) -> None:
        self._store = store
        self._incarnation = incarnation
        self._node = node
        self._heartbeat_ms = heartbeat_ms
        self._gap_ms = gap_ms
        self._clock = clocks.monotonic
        self._own_clock = clocks.boottime
        self._codec = RecordCodec(NODES, NodeRecord)
        self._mine: bytes | None = None
        self._failed = self._start = 0
        self._beaten_at: float | None = None
        self._watches: dict[str, LeaseWatch] = {}
        self._dead: set[str] = set()
        self._last_scan = NodeScan(clocks.monotonic(), frozenset(), frozenset(), 1)

    @property
    def node(self) -> str:
        """This node's id."""
        return self._node

    def beat(
        self,
        load: NodeLoad,
        state: NodeStatus = NodeStatus.LIVE,
        may_return: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Write the next heartbeat; with LEFT it is the last one.

        Args:
            load: this node's current load.
            may_return: called after others have declared this node dead: whether it may continue.
        Returns:
            False if it was declared dead and must not return; nothing was written.
        Raises:
            StoreError: the heartbeat was not acknowledged; call again.
            RunError: the record is gone, so the run's data is lost; or a newer process has the same node id.
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

    def _has_beaten(self, load: NodeLoad, state: NodeStatus) -> bool:
        """Write a heartbeat; return False if the record was another one, which is known now, to try again."""
        sent_at = self._own_clock()
        number = 0 if self._mine is None else self._codec.read(self._incarnation, self._mine).number + 1
        former = self._mine
        if former is None:
            self._start = self._earlier()
        own = NodeRecord(self._node, number, state, *load, failed=self._failed, start=self._start)
        record = self._codec.encode(own)
        self._failed += 1
        if former is None:
            outcome = self._store.put_if_absent_all(NODES, [(self._incarnation, record)])[0]
        else:
            change = Change(self._incarnation, former, record)
            outcome = self._store.cas_all(NODES, [change])[0]
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
        # It sent heartbeats before, while it waited for the quorum; or others have declared it dead; or a
        # heartbeat that had failed was written late, and this is the last one: LEFT must not be lost.
        is_dead = self._codec.read(self._incarnation, outcome.current).state is NodeStatus.DEAD
        if is_dead:
            self._refuse_twin()
        if former is None or is_dead or state is NodeStatus.LEFT:
            return False
        raise StoreError(f"an earlier heartbeat of {self._node} was written late", hint="try again")

    def _refuse_twin(self) -> None:
        """Raise RunError if a newer process has this node's id: each would keep declaring the other dead."""
        own = self._start, self._incarnation
        live = [
            (record.start, incarnation)
            for incarnation, record in self.read().items()
            if record.node == self._node and record.state is NodeStatus.LIVE
        ]
        if max([own, *live]) != own:
            raise RunError(
                f"a process that started later has the same node id {self._node}: this one stops",
                hint="give each node an id of its own (scoopi.cluster.node), or none",
            )

    def own_beat_is_old(self) -> bool:
        """Whether no heartbeat was acknowledged for half the gap; then take no job and send no request."""
        beaten_at = self._beaten_at
        return beaten_at is None or self._own_clock() - beaten_at > self._gap_ms / 2000

    def watch(self) -> set[str]:
        """Read all heartbeats; return the dead incarnations. To be called with every heartbeat.

        A dead incarnation is returned each time until it sends a heartbeat again. Its record is also marked
        as DEAD, for nodes that join later and have not yet watched for a whole gap.
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
        nodes = {key: self._codec.read(key, record) for key, record in records if key not in self._dead}
        left = {key for key, node in nodes.items() if node.state is NodeStatus.LEFT}
        live = [node for key, node in nodes.items() if key not in left]
        idle = all(node.idle for node in live)
        self._last_scan = NodeScan(
            began_at, frozenset(self._dead), frozenset(left), max(1, len(live)), idle=idle
        )
        return set(self._dead)

    @property
    def last_scan(self) -> NodeScan:
        """The result of the last `watch`; callable from any thread."""
        return self._last_scan

    def live(self) -> dict[str, NodeRecord]:
        """The records of all live incarnations, including this one; as `read`, which it calls."""
        return self.live_among(self.read())

    def live_among(self, records: Mapping[str, NodeRecord]) -> dict[str, NodeRecord]:
        """The records, of those just read, whose incarnations have not left and are not known to be dead."""
        return {
            key: record
            for key, record in records.items()
            if record.state is NodeStatus.LIVE and key not in self._dead
        }

    def read(self) -> dict[str, NodeRecord]:
        """Read the records of all incarnations: incarnation -> record."""
        return {key: self._codec.read(key, record) for key, record in self._records()}

    def _earlier(self) -> int:
        """The number of earlier incarnations of this node."""
        others = (record for key, record in self.read().items() if key != self._incarnation)
        return sum(record.node == self._node for record in others)

    def _records(self) -> list[tuple[str, bytes]]:
        return [record for page in pages(self._store, NODES, PAGE) for record in page]

    def _declared_dead(self, silent: Sequence[tuple[str, bytes]]) -> set[str]:
        """Mark incarnations as dead in their records, and return them; one with a new heartbeat is alive."""
        nodes = [(key, record, self._codec.read(key, record)) for key, record in silent]
        changes = [
            Change(key, record, self._codec.encode(replace(node, state=NodeStatus.DEAD)))
            for key, record, node in nodes
            if node.state is not NodeStatus.DEAD
        ]
        outcomes = zip(changes, self._store.cas_all(NODES, changes), strict=True)
        awake = {change.key for change, outcome in outcomes if self._is_live(change.key, outcome.current)}
        return {key for key, _ in silent} - awake

    def _is_live(self, incarnation: str, record: bytes | None) -> bool:
        return record is not None and self._codec.read(incarnation, record).state is not NodeStatus.DEAD

    def _is_dead(self, incarnation: str, record: bytes) -> bool:
        known = self._codec.read(incarnation, record)
        if incarnation == self._incarnation or known.state is NodeStatus.LEFT:
            return False
        if known.node == self._node or known.state is NodeStatus.DEAD:
            return True
        watch = self._watches.get(incarnation)
        if watch is None:
            # A little less than the interval, so that each read of a punctual watcher counts.
            watch = LeaseWatch(self._gap_ms, self._clock, READS, self._heartbeat_ms * 9 // 10)
            self._watches[incarnation] = watch
        return watch.is_lost(record)
