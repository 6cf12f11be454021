"""RetryCounts: the retries of each node in the store, so that all nodes and later processes share budgets."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping

from scoopi.store.ports import RUN, Change, Store, pages
from scoopi.store.record_codec import RecordCodec

PERIOD_S = 1.0
_PREFIX = "retries/"
_BEHIND = "retries0"
"""Behind all keys with the prefix."""
_PAGE = 500


class RetryCounts:
    """Keeps the retries of each node in the store, so that all nodes and later processes share budgets.

    One record for each incarnation, which only it writes; belongs to one thread.

    Args:
        store: one whose answers are settled.
        incarnation: of this node.
        clock: seconds, monotonic.
    """

    def __init__(self, store: Store, incarnation: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._key = f"{_PREFIX}{incarnation}"
        self._codec = RecordCodec(RUN, dict[str, int])
        self._clock = clock
        self._kept: bytes | None = None
        self._due_at = 0.0

    def is_due(self) -> bool:
        """Whether the store is to be asked again."""
        return self._clock() >= self._due_at

    def keep(self, spent: Mapping[str, int]) -> None:
        """Keep how many retries this process has made, by host.

        Raises:
            StoreError: nothing is known; the next call keeps as much.
        """
        self._due_at = self._clock() + PERIOD_S
        record = self._codec.written(dict(spent))
        standing = self._kept or self._store.get_all(RUN, [self._key]).get(self._key)
        if standing is None:
            self._store.put_if_absent_all(RUN, [(self._key, record)])
        elif standing != record:
            self._store.cas_all(RUN, [Change(self._key, standing, record)])
        self._kept = record

    def others(self) -> Counter[str]:
        """Retries by host of all other incarnations.

        Raises:
            StoreError: the store does not answer.
        """
        found: Counter[str] = Counter()
        for page in pages(self._store, RUN, _PAGE, after=_PREFIX):
            for key, record in page:
                if key >= _BEHIND:
                    return found
                if key != self._key:
                    found.update(self._codec.read(key, record))
        return found
