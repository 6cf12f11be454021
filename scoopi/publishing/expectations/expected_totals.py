"""ExpectedTotals: what all nodes of a run have found together, as far as something is expected of it."""

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
"""EARLIER: of a run that was reopened, what nodes had found before that; those that return put it again."""
PAGE = 500


def keep_earlier(earlier: Store, now: Store) -> None:
    """Copy what the nodes of a run had found to the maps in which it is reopened.

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
    """The record `expected/<node>`: what the rows of one node hold, see `Found`."""

    node: str
    found: dict[str, dict[str, Count]]


class ExpectedTotals:
    """Adds up what the nodes of a run have found, each of which publishes its own rows only.

    A node puts its numbers before it waits for those of others, and waits for live nodes only: so nodes
    never wait for each other, and the rows of a dead node count when it has published them.

    Args:
        store: of the run, of settled answers.
        node: id of the node whose rows are published.
        look_s: seconds between two looks for the numbers of other nodes.
    """

    def __init__(
        self, store: Store, members: Membership, record: RunRecord, node: str, look_s: float = 0.2
    ) -> None:
        self._store = store
        self._members = members
        self._record = record
        self._node = node
        self._look_s = look_s
        self._codec = RecordCodec(RUN, NodeFound)

    def of_all(self, mine: Found, others: Collection[str], ensure_time: Callable[[], None]) -> Found:
        """The numbers of this node and of all others that have, or soon will have, put theirs.

        Args:
            others: incarnations of other nodes that have ended jobs.
            ensure_time: raises when no time is left to wait.
        Raises:
            StoreError: the store does not answer; call again.
        """
        earlier = self._known(EARLIER)
        if self._is_over():  # nothing is put beside records that are about to expire
            return self._sum(earlier | self._known(PREFIX), mine)
        written = {name: dict(numbers) for name, numbers in mine.items()}
        record = self._codec.written(NodeFound(self._node, written))
        self._store.put_if_absent_all(RUN, [(PREFIX + self._node, record)])
        while (known := self._known(PREFIX)).keys() < self._awaited(others) | known.keys():
            ensure_time()
            time.sleep(self._look_s)  # nothing notifies of it
        return self._sum(earlier | known, mine)

    def _is_over(self) -> bool:
        state = self._record.read()
        return state is None or state.phase is RunPhase.OVER

    def _awaited(self, others: Collection[str]) -> set[str]:
        """Live nodes that have ended jobs, in this incarnation or an earlier one."""
        members = self._members.read()
        live = {members[each].node for each in self._members.live_among(members)}
        return {members[each].node for each in others if each in members} & live - {self._node}

    def _known(self, prefix: str) -> dict[str, Found]:
        known = (self._codec.read(key, record) for key, record in with_prefix(self._store, RUN, PAGE, prefix))
        return {each.node: each.found for each in known}

    def _sum(self, known: Mapping[str, Found], mine: Found) -> Found:
        total = {name: Counter(numbers) for name, numbers in mine.items()}
        for found in (each for node, each in known.items() if node != self._node):
            for name, numbers in found.items():
                total.setdefault(name, Counter()).update(numbers)
        return total
