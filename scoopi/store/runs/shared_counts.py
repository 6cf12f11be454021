"""SharedCounts: keeps each node's counts in the store, so that nodes and later processes share budgets."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from scoopi.store.ports import PAGE, RUN, Store, with_prefix
from scoopi.store.record_codec import RecordCodec
from scoopi.store.runs.own_record import OwnRecord

PERIOD_S = 1.0
RETRIES, PAGES = "retries", "budget"
"""Kinds of counts: retries per host; pages and bytes per budget."""
MANY = 1000
"""Up to this many counts are written once per period, more of them less often."""


class CountRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one process has counted, or several of them together.

    Attributes:
        counts: retries by host; pages and bytes by budget.
        held: of budgets of pages, the shortened ids of the jobs that are counted and held.
        used_up: of budgets of pages, sentences about those that were found used up.
    """

    counts: Mapping[str, int] = {}
    held: tuple[str, ...] = ()
    used_up: tuple[str, ...] = ()


NOTHING_COUNTED = CountRecord()


class SharedCounts:
    """Keeps each node's counts in the store, so that all nodes and later processes share budgets.

    There is one record per incarnation, which only that incarnation writes. Used by one thread.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node.
        kind: the kind of counts, RETRIES or PAGES.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        store: Store,
        incarnation: str,
        kind: str = RETRIES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._kind = kind
        self._key = f"{kind}/{incarnation}"
        self._own = OwnRecord(store, self._key)
        self._codec = RecordCodec(RUN, CountRecord)
        self._clock = clock
        self._due_at = -math.inf

    def is_due(self) -> bool:
        """Whether it is time to call `keep` again: every PERIOD_S, less often with many counts."""
        return self._clock() >= self._due_at

    def keep(self, counted: CountRecord) -> None:
        """Write what this process has counted.

        Raises:
            StoreError: the outcome is not known; the next call writes them again.
        """
        self._due_at = self._clock() + PERIOD_S * max(1.0, len(counted.counts) / MANY)
        self._own.write(self._codec.encode(counted))

    def others(self) -> CountRecord:
        """Return what all other incarnations have counted together.

        Raises:
            StoreError: the store does not answer.
        """
        counts: Counter[str] = Counter()
        held: list[str] = []
        used_up: set[str] = set()
        for key, record in with_prefix(self._store, RUN, PAGE, f"{self._kind}/"):
            if key != self._key:
                counted = self._codec.read(key, record)
                counts.update(counted.counts)
                held += counted.held
                used_up.update(counted.used_up)
        return CountRecord(counts, tuple(held), tuple(sorted(used_up)))


def forget_counts(store: Store) -> None:
    """Remove the counts of all incarnations, as a reopened run has its full budgets again.

    Raises:
        StoreError: the store does not answer; some counts may be removed.
    """
    for kind in (RETRIES, PAGES):
        store.delete_all(RUN, [key for key, _ in with_prefix(store, RUN, PAGE, f"{kind}/")])
