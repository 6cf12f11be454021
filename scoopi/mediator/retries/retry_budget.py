"""RetryBudget: how many retries a run may still make, in all and at each host."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping

from scoopi.store.runs.shared_counts import CountRecord, SharedCounts

log = logging.getLogger(__name__)

MOST_NAMED = 100
PER_RUN, PER_HOST = "scoopi.retry.perRun", "scoopi.retry.perHost"


class RetryBudget:
    """Counts how many retries a run may still make, in all and at each host.

    The task runner's thread calls `spend`; the job runner's calls `share`.

    Other nodes report once a second, so all nodes together may exceed a budget by the retries of a second.

    Args:
        per_run: the most retries in the whole run, of all nodes.
    """

    def __init__(self, per_run: int) -> None:
        self._per_run = per_run
        self._spent: Counter[str] = Counter()
        self._total = 0
        self._others: Mapping[str, int] = {}
        self._others_total = 0
        self._used_up: dict[tuple[str, str], None] = {}

    def spend(self, host: str, per_host: int) -> str:
        """Count a retry at the host, if the budgets allow it.

        Args:
            per_host: the most retries of all nodes at this host.

        Returns:
            Empty if it is counted; else a sentence that names the budget which is used up.
        """
        if self._total + self._others_total >= self._per_run:
            return self._refused("", f"the run's budget of {self._per_run:,} retries is used up ({PER_RUN})")
        if self._spent[host] + self._others.get(host, 0) >= per_host:
            return self._refused(host, f"the host's budget of {per_host:,} retries is used up ({PER_HOST})")
        self._spent[host] += 1
        self._total += 1
        return ""

    def spent(self) -> dict[str, int]:
        """Retries of this process by host; callable from any thread."""
        return dict(self._spent)

    def share(self, counts: SharedCounts) -> None:
        """Write what this process has spent to the store and read what others have, once a period.

        Raises:
            StoreError: the store does not answer; the next call tries again.
        """
        if counts.is_due():
            counts.keep(CountRecord(self.spent()))
            self.set_others(counts.others().counts)

    def set_others(self, spent: Mapping[str, int]) -> None:
        """Set the retries by host that other nodes, and earlier processes of this node, have made."""
        self._others_total = sum(spent.values())
        self._others = spent

    def used_up(self) -> tuple[str, ...]:
        """Sentences on the first MOST_NAMED budgets that were used up; callable from any thread."""
        first = list(self._used_up)[:MOST_NAMED]
        return tuple(f"{host}: {words}" if host else words for host, words in first)

    def _refused(self, host: str, words: str) -> str:
        if (host, words) not in self._used_up:
            self._used_up[host, words] = None
            whose = f"{host}: " if host else ""
            log.warning("%s%s: further failures are final", whose, words)
        return words
