"""JobSeeder: puts the jobs of all defined locators into the store, once a run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from itertools import islice

from scoopi.engine.seed_portions import SeedPortions
from scoopi.errors import RunError, StoppedError
from scoopi.model.definitions import LocatorGroup
from scoopi.model.job import JobPayload, ancestor_digest, seed_id
from scoopi.model.locator import Locator
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.pages.job_store import JobStore
from scoopi.store.pages.job_values import NewJob
from scoopi.store.retries import retried
from scoopi.store.runs.run_record import RunRecord

log = logging.getLogger(__name__)

SEED_TIMEOUT_MS = 600_000
SEEDED = b"seeded"
PUT_AT_ONCE = 2000
LOOK_AFTER = 50 * PUT_AT_ONCE
"""After this many jobs `on_seeded` checks whether the members have room for them."""


class JobSeeder:
    """No job is taken before the run is marked as seeded; if the seeding node dies, another one seeds.

    Args:
        host_of: the host whose grants an address needs.
        barricade: lets one node of a cluster seed, while the others wait.
        run: the run's incarnation.
        store_timeout_s: how long a store that does not answer is retried; 0: not at all.
        on_seeded: called while jobs are put, and when all are, with their number so far.
    """

    def __init__(
        self,
        jobs: JobStore,
        record: RunRecord,
        host_of: Callable[[str], str],
        barricade: Barricade,
        run: str,
        store_timeout_s: float = 0.0,
        on_seeded: Callable[[int], None] = lambda jobs: None,
    ) -> None:
        self._jobs = jobs
        self._record = record
        self._host_of = host_of
        self._barricade = barricade
        self._run = run
        self._store_timeout_s = store_timeout_s
        self._on_seeded = on_seeded

    def seed(self, groups: Callable[[], Iterable[LocatorGroup]], cancelled: Callable[[], bool]) -> bool:
        """Put every group's jobs, then mark the run as seeded; does nothing for a seeded run.

        Args:
            groups: the locator groups, or parts of them.
            cancelled: polled before each put, also while another node seeds; what was put by then stays, and
                the next node puts nothing twice.
        Raises:
            RunError: the store has lost the run.
            StoreError: it has not answered for too long.
        Returns:
            Whether the run is seeded; False when it was cancelled before.
        """
        return retried("seeding", lambda: self._seed(groups, cancelled), self._store_timeout_s, cancelled)

    def _seed(self, groups: Callable[[], Iterable[LocatorGroup]], cancelled: Callable[[], bool]) -> bool:
        state = self._record.read()
        if state is None or state.incarnation != self._run:
            raise RunError("the store does not know this run: its data is lost", hint="start a new run")
        if state.seeded:
            return True
        try:
            self._barricade.compose_once(lambda: self._seeded(groups, cancelled), SEED_TIMEOUT_MS, cancelled)
        except StoppedError:
            return False
        self._record.mark_seeded()
        return True

    def _seeded(self, groups: Callable[[], Iterable[LocatorGroup]], cancelled: Callable[[], bool]) -> bytes:
        new = (self._new_job(group.name, one.name, one.url) for group in groups() for one in group.locators)
        portions, seeded = SeedPortions(self._jobs), 0
        while jobs := list(islice(new, PUT_AT_ONCE)):
            if cancelled():
                raise StoppedError
            portions.add(jobs)
            seeded += len(jobs)
            log.info("%d locators seeded", seeded)
            if seeded % LOOK_AFTER == 0:
                self._on_seeded(seeded)
        portions.end()
        self._on_seeded(seeded)
        return SEEDED

    def _new_job(self, group: str, name: str, url: str) -> NewJob:
        """The job of a locator; its id is derived from the locator, so that seeding twice seeds once."""
        seed = seed_id(group, name, url)
        payload = JobPayload(Locator(name, group, url), seed, ancestors=ancestor_digest(group, url))
        return NewJob(seed, self._host_of(url), payload)
