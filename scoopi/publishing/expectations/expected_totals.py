"""ExpectedTotals: the counts of all nodes of a run, for the expectations of its records."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping

import msgspec

from scoopi.model.job import Count
from scoopi.publishing.expectations.expected_records import Found
from scoopi.store.nodes.membership import Membership
from scoopi.store.ports import RUN, Store, with_prefix
from scoopi.store.record_codec import RecordCodec
from scoopi.store.runs.run_record import RunPhase, RunRecord

PREFIX, EARLIER = "expected/", "expected-before/"
"""EARLIER: the counts of nodes before the run was reopened; nodes that return put new ones under PREFIX."""
PAGE = 500


def keep_earlier(earlier: Store, now: Store) -> None:
    """Copy the counts of a run's nodes to the maps in which it is reopened.

    Raises:
        StoreError: a store does not answer; call again.
    """
    found: dict[str, bytes] = {}
    for prefix in (EARLIER, PREFIX):
        records = with_prefix(earlier, RUN, PAGE, prefix)
        found |= {key.removeprefix(prefix): record for key, record in records}
    if found:
        now.put_if_absent_all(RUN, [(EARLIER + node, record) for node, record in found.items()])


class NodeFound(msgspec.Struct, frozen=True):
    """The record `expected/<node>`: the counts of one node, see `Found`."""

    node: str
    found: dict[str, dict[str, Count]]


class ExpectedTotals:
    """Adds up the counts of all nodes of a run, each of which publishes only its own rows.

    A node puts its counts before it waits for those of others, and it waits for live nodes only. So nodes
    never deadlock, and the rows of a dead node count only if it has put its counts.

    Args:
        store: the run's store, whose answers are settled.
        node: id of the node whose rows are published.
        poll_s: polling interval for the counts of other nodes, in seconds.
    """

    def __init__(
        self, store: Store, membership: Membership, record: RunRecord, node: str, poll_s: float = 0.2
    ) -> None:
        self._store = store
        self._membership = membership
        self._record = record
        self._node = node
        self._poll_s = poll_s
        self._codec = RecordCodec(RUN, NodeFound)

    def of_all(self, mine: Found, others: Collection[str], ensure_time: Callable[[], None]) -> Found:
        """The sum of the counts of this node and of all others, after waiting for live nodes.

        Args:
            others: incarnations of other nodes that have ended jobs.
            ensure_time: raises an error when no time is left to wait.
        Raises:
            StoreError: the store does not answer; call again.
        """
        earlier = self._known(EARLIER)
        if self._is_over():  # the records are about to expire; do not add any
            return self._sum(earlier | self._known(PREFIX), mine)
        written = {name: dict(numbers) for name, numbers in mine.items()}
        record = self._codec.encode(NodeFound(self._node, written))
        self._store.put_if_absent_all(RUN, [(PREFIX + self._node, record)])
        while (known := self._known(PREFIX)).keys() < self._awaited(others) | known.keys():
            ensure_time()
            time.sleep(self._poll_s)  # there is no notification to wait for
        return self._sum(earlier | known, mine)

    def _is_over(self) -> bool:
        state = self._record.read()
        return state is None or state.phase is RunPhase.OVER

    def _awaited(self, others: Collection[str]) -> set[str]:
        """The other live nodes that have ended jobs, in this incarnation or an earlier one."""
        records = self._membership.read()
        live = {records[each].node for each in self._membership.live_among(records)}
        return {records[each].node for each in others if each in records} & live - {self._node}

    def _known(self, prefix: str) -> dict[str, Found]:
        known = (self._codec.read(key, record) for key, record in with_prefix(self._store, RUN, PAGE, prefix))
        return {each.node: each.found for each in known}

    def _sum(self, known: Mapping[str, Found], mine: Found) -> Found:
        total = {name: Counter(numbers) for name, numbers in mine.items()}
        for found in (each for node, each in known.items() if node != self._node):
            for name, numbers in found.items():
                total.setdefault(name, Counter()).update(numbers)
        return total
