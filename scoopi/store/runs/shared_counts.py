"""SharedCounts: what each node has counted, in the store, so that nodes and later processes share budgets."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping

from scoopi.store.ports import RUN, Change, Store, with_prefix
from scoopi.store.record_codec import RecordCodec

PERIOD_S = 1.0
RETRIES, PAGES = "retries", "budget"
"""Kinds of counts: retries by host; pages and bytes by budget."""
MANY = 1000
"""So many counts are written each period; more of them less often."""
_PAGE = 500


class SharedCounts:
    """Keeps what each node has counted in the store, so that all nodes and later processes share budgets.

    One record for each incarnation, which only it writes; belongs to one thread.

    Args:
        store: one whose answers are settled.
        incarnation: of this node.
        kind: of the counts.
        clock: seconds, monotonic.
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
        self._codec = RecordCodec(RUN, dict[str, int])
        self._clock = clock
        self._kept: bytes | None = None
        self._due_at = 0.0

    def is_due(self) -> bool:
        """Whether the store is to be asked again."""
        return self._clock() >= self._due_at

    def keep(self, counts: Mapping[str, int]) -> None:
        """Keep what this process has counted.

        Raises:
            StoreError: nothing is known; the next call keeps as much.
        """
        self._due_at = self._clock() + PERIOD_S * max(1.0, len(counts) / MANY)
        record = self._codec.written(dict(counts))
        standing = self._kept or self._store.get_all(RUN, [self._key]).get(self._key)
        if standing is None:
            self._store.put_if_absent_all(RUN, [(self._key, record)])
        elif standing != record:
            self._store.cas_all(RUN, [Change(self._key, standing, record)])
        self._kept = record

    def others(self) -> Counter[str]:
        """The counts of all other incarnations, added up.

        Raises:
            StoreError: the store does not answer.
        """
        found: Counter[str] = Counter()
        for key, record in with_prefix(self._store, RUN, _PAGE, f"{self._kind}/"):
            if key != self._key:
                found.update(self._codec.read(key, record))
        return found


def forget_counts(store: Store) -> None:
    """Remove the counts of all incarnations: a run that is opened again has its budgets again.

    Raises:
        StoreError: some may be removed.
    """
    for kind in (RETRIES, PAGES):
        store.delete_all(RUN, [key for key, _ in with_prefix(store, RUN, _PAGE, f"{kind}/")])
