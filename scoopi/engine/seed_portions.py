"""SeedPortions: which seeded jobs are in the store one by one, and which are kept there in packs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter

from scoopi.store.pages.job_store import JobStore
from scoopi.store.pages.job_values import NewJob

MOST_READY = 5000
"""How many jobs of a host are in the store one by one, and how many make a pack."""
FEW_READY = 20
"""The same for each further host, once MANY_READY jobs are in the store."""
MANY_READY = 20_000
"""Jobs of all hosts from which on further hosts get FEW_READY each."""
MOST_KEPT = 50_000
"""How many jobs this process keeps in memory until their packs are full."""


class SeedPortions:
    """Takes all jobs of a run in their order; the same jobs make the same packs on every node."""

    def __init__(self, jobs: JobStore) -> None:
        self._jobs = jobs
        self._ready: Counter[str] = Counter()
        self._all_ready = 0
        self._packs: Counter[str] = Counter()
        self._kept: dict[str, list[NewJob]] = {}
        self._all_kept = 0

    def add(self, jobs: Iterable[NewJob]) -> None:
        """Put these jobs, or keep them for a pack.

        Raises:
            StoreError: start again with all jobs of the run.
        """
        ready = [job for job in jobs if self._is_ready(job)]
        # In the order of their ids: SQLite keeps this order, and writes each of its pages once a batch.
        self._jobs.put(sorted(ready, key=attrgetter("id")))
        for host in [host for host, kept in self._kept.items() if len(kept) >= MOST_READY]:
            self._pack(host)
        if self._all_kept > MOST_KEPT:
            for host in sorted(self._kept, key=lambda host: -len(self._kept[host])):
                if self._all_kept <= MOST_KEPT // 2:
                    return
                self._pack(host)

    def end(self) -> None:
        """No more jobs come: pack what is kept."""
        for host in list(self._kept):
            self._pack(host)

    def _is_ready(self, job: NewJob) -> bool:
        """Whether the job is put by itself; otherwise it is kept for a pack."""
        most = MOST_READY if self._all_ready < MANY_READY else FEW_READY
        if self._ready[job.host] < most and not self._packs[job.host] and job.host not in self._kept:
            self._ready[job.host] += 1
            self._all_ready += 1
            return True
        self._kept.setdefault(job.host, []).append(job)
        self._all_kept += 1
        return False

    def _pack(self, host: str) -> None:
        kept = self._kept.pop(host)
        self._all_kept -= len(kept)
        for start in range(0, len(kept), MOST_READY):
            self._jobs.put_packed(host, self._packs[host], kept[start : start + MOST_READY])
            self._packs[host] += 1
