"""JobSeeder: puts the jobs of all defined locators into the store, once a run."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from operator import attrgetter
from types import MappingProxyType

import msgspec

from scoopi.errors import RunError, StoppedError
from scoopi.model.job import JobPayload, ancestor_digest, once_per_run_id, page_url, seed_id
from scoopi.model.locator import Locator
from scoopi.model.scrape.locator_def import LocatorDef, LocatorGroup
from scoopi.store.jobs.job_records import NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.jobs.seed_marks import SeedMark
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.retries import retried
from scoopi.store.runs.run_record import RunRecord

MOST_READY = 1000
"""How many jobs of a host are put into the store one by one, and how many of the others make a pack."""
FEW_READY = 20
"""How many jobs of each further host are put one by one, once MANY_READY jobs of all hosts are."""
MANY_READY = 20_000
"""See FEW_READY."""
MOST_KEPT = 50_000
"""How many jobs this process keeps in memory, until their packs are full."""
NOTHING_SEEDED = SeedMark(0, {}, {}, {})
log = logging.getLogger(__name__)
SEED_TIMEOUT_MS = 600_000
SEEDED = b"seeded"
PUT_AT_ONCE = 2000
LOOK_AFTER = 50 * PUT_AT_ONCE
"""After this many jobs `on_seeded` checks whether the members have room for them, and the mark is moved."""
MOST_MARKED = 20_000
"""The most hosts whose counts a mark can hold; with more hosts the mark stays where it is."""


class SeedPacker:
    """Puts all jobs of a run into the store, in their order: some of each host one by one, the rest in packs.

    The same jobs make the same packs on every node.

    Args:
        mark: how far an earlier seeding has come; only the jobs after it follow.
    """

    def __init__(self, jobs: JobStore, mark: SeedMark = NOTHING_SEEDED) -> None:
        self._jobs = jobs
        self._ready, self._packs = Counter(mark.ready), Counter(mark.packs)
        self._all_ready = self._ready.total()
        self._kept = {host: [*kept] for host, kept in mark.kept.items()}
        self._all_kept = sum(map(len, self._kept.values()))

    def add(self, jobs: Iterable[NewJob]) -> None:
        """Put these jobs into the store, or keep them for a pack.

        Raises:
            StoreError: the store does not answer; start again with all jobs of the run.
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

    def mark(self, seeded: int) -> SeedMark | None:
        """What a later seeding needs to continue after the first `seeded` jobs; None if that is too large."""
        if len(self._ready) > MOST_MARKED:
            return None
        return SeedMark(seeded, dict(self._ready), dict(self._packs), self._kept)

    def end(self) -> None:
        """Put the jobs that are kept into the store as packs, as no more jobs follow."""
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


class SeedCalls(msgspec.Struct, frozen=True):
    """What the seeder needs to know of a run, and whom it notifies.

    Attributes:
        host_of: returns the host whose grants a URL needs.
        on_seeded: called while jobs are put, and when all are, with their number so far.
        once_groups: groups whose pages are read once per run, whichever locator or link leads to them.
        parents: group -> names of the values of its locators that the fields of its pages use.
        fragment_groups: groups in which each URL fragment is a page of its own.
    """

    host_of: Callable[[str], str]
    on_seeded: Callable[[int], None] = lambda jobs: None
    once_groups: frozenset[str] = frozenset()
    parents: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    fragment_groups: frozenset[str] = frozenset()


class JobSeeder:
    """Puts the jobs of all defined locators into the store, once a run.

    No job is taken before the run is marked as seeded. If the seeding node dies, another one continues at its
    last mark.

    Args:
        barricade: lets one node of a cluster seed, while the others wait.
        run: the run's incarnation.
        store_timeout_s: for how many seconds a store that does not answer is retried; 0: not at all.
    """

    def __init__(
        self,
        jobs: JobStore,
        record: RunRecord,
        barricade: Barricade,
        run: str,
        calls: SeedCalls,
        store_timeout_s: float = 0.0,
    ) -> None:
        self._jobs = jobs
        self._record = record
        self._barricade = barricade
        self._run = run
        self._marks = jobs.seed_marks(run)
        self._calls = calls
        self._store_timeout_s = store_timeout_s

    def seed(self, groups: Callable[[], Iterable[LocatorGroup]], cancelled: Callable[[], bool]) -> bool:
        """Put every group's jobs, then mark the run as seeded; does nothing for a seeded run.

        Args:
            groups: returns the locator groups, or parts of them, in order.
            cancelled: polled before each put, also while another node seeds. What was put by then stays; the
                next node continues at the last mark, and puts nothing twice.
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
        self._marks.remove()
        return True

    def _seeded(self, groups: Callable[[], Iterable[LocatorGroup]], cancelled: Callable[[], bool]) -> bytes:
        mark = self._marks.read() or NOTHING_SEEDED
        if mark.seeded:
            log.info("seeding continues after the first %d locators", mark.seeded)
        packer, seeded = SeedPacker(self._jobs, mark), mark.seeded
        new = self._new_jobs(groups(), mark.seeded)
        while jobs := list(islice(new, PUT_AT_ONCE)):
            if cancelled():
                raise StoppedError
            packer.add(jobs)
            seeded += len(jobs)
            log.info("%d locators seeded", seeded)
            if seeded % LOOK_AFTER == 0:
                self._calls.on_seeded(seeded)
                if (reached := packer.mark(seeded)) is not None:
                    self._marks.move(reached)
        packer.end()
        self._calls.on_seeded(seeded)
        return SEEDED

    def _new_jobs(self, groups: Iterable[LocatorGroup], skip: int) -> Iterator[NewJob]:
        """The jobs of all locators but the first ones."""
        for group in groups:
            for written in group.locators:
                if skip and skip >= (count := written.count):
                    skip -= count
                    continue
                for one in written.each(skip) if written.values else (written,):
                    yield self._new_job(group.name, one)
                skip = 0

    def _new_job(self, group: str, one: LocatorDef) -> NewJob:
        """The job of a locator; its id is derived from the locator, so that seeding twice seeds once."""
        is_once = group in self._calls.once_groups
        request = "" if one.request is None else one.request.key
        parent: dict[str, str] = {}
        if one.given:
            used = self._calls.parents.get(group, ())
            parent = {name: one.given[name] for name in used if name in one.given}
        page = page_url(one.url, group in self._calls.fragment_groups)
        if is_once and not request:
            seed = once_per_run_id(group, page, parent)
        else:
            seed = seed_id(group, group if is_once else one.name, one.url, request, parent)
        ancestors = ancestor_digest(group, page, request)
        locator = Locator(one.name, group, one.url, one.request)
        payload = JobPayload(locator, seed, ancestors=ancestors, parent=parent)
        return NewJob(seed, self._calls.host_of(one.url), payload)
