"""JobSeeder: every locator becomes one job, once a run."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from scoopi.engine import job_seeder
from scoopi.engine.job_seeder import JobSeeder, SeedCalls, SeedPacker
from scoopi.errors import RunError, StoreError
from scoopi.model.job import JobPayload, JobState, seed_id
from scoopi.model.locator import Locator
from scoopi.model.scrape.locator_def import LocatorDef, LocatorGroup
from scoopi.model.text.locator_values import NumberValues, TextValues
from scoopi.store import retries
from scoopi.store.jobs.job_records import Ending, JobRecords, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.jobs.seed_packs import SeedPacks
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.ports import JOBS, PAYLOADS, Store
from scoopi.store.retries import RETRIED
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.faulty_store import Faults, FaultyStore, NodeDied

PARTS = [
    LocatorGroup("pages", tuple(LocatorDef(f"p{n}", f"http://a/{part}/{n}") for n in range(3)))
    for part in range(4)
]


def seeder_of(store: Store, node: str, timeout_s: float = 0.0) -> JobSeeder:
    record = RunRecord(store, node)
    record.create("run")
    barricade = Barricade(store, "seed", node, lease_ms=200)
    return JobSeeder(
        JobStore(store, node), record, barricade, "run", SeedCalls(lambda url: "a:80"), timeout_s
    )


def test_every_locator_becomes_a_job_and_the_run_is_marked(store: Store) -> None:
    assert seeder_of(store, "n1").seed(lambda: PARTS, lambda: False)
    assert len(store.scan(JOBS, "R/a:80", 100)) == 12
    state = RunRecord(store, "n2").read()
    assert state is not None
    assert state.seeded


def test_a_seeded_run_is_not_seeded_again(store: Store) -> None:
    assert seeder_of(store, "n1").seed(lambda: PARTS[:1], lambda: False)
    assert seeder_of(store, "n2").seed(lambda: pytest.fail("it unpacked the locators"), lambda: False)


def test_a_cancelled_seeding_leaves_the_run_unseeded_and_the_next_node_puts_nothing_twice(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_seeder, "PUT_AT_ONCE", 3)
    put: list[LocatorGroup] = []

    def two_parts() -> Iterator[LocatorGroup]:
        for part in PARTS:
            yield part
            put.append(part)

    assert not seeder_of(store, "n1").seed(two_parts, lambda: len(put) == 2)
    state = RunRecord(store, "n1").read()
    assert state is not None
    assert not state.seeded
    assert len(store.scan(JOBS, "R/a:80", 100)) == 6
    assert seeder_of(store, "n2").seed(lambda: PARTS, lambda: False)
    assert len(store.scan(JOBS, "R/a:80", 100)) == 12


class Away:
    """A store whose next readings and writes fail, some of them after they were made."""

    def __init__(self, store: Store, hint: str = "") -> None:
        self._store = store
        self._hint = hint
        self.failing = 0

    def __getattr__(self, name: str) -> Any:
        answers = getattr(self._store, name)

        def call(*arguments: object) -> object:
            answer = answers(*arguments)
            if self.failing:
                self.failing -= 1
                raise StoreError("no answer in time", hint=self._hint)
            return answer

        return call


@pytest.mark.parametrize("failing", [1, 3, 6, 9])
def test_while_the_store_does_not_answer_seeding_is_tried_again(
    store: Store, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "MOST_PAUSE_S", 0.01)
    away = Away(store)
    seeder = seeder_of(cast(Store, away), "n1", timeout_s=60)
    away.failing = failing
    assert seeder.seed(lambda: PARTS, lambda: False)
    assert len(store.scan(JOBS, "R/a:80", 100)) == 12


@pytest.mark.parametrize(("timeout_s", "is_cancelled"), [(0.0, False), (60.0, True)])
def test_seeding_is_given_up_when_the_store_stays_away_or_the_node_is_to_stop(
    store: Store, timeout_s: float, is_cancelled: bool
) -> None:
    away = Away(store)
    seeder = seeder_of(cast(Store, away), "n1", timeout_s)
    away.failing = 1
    with pytest.raises(StoreError):
        seeder.seed(lambda: PARTS, lambda: is_cancelled)


def test_a_node_that_gives_up_seeding_says_so_and_after_how_long_and_promises_no_other_try(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "MOST_PAUSE_S", 0.01)
    away = Away(store, hint=RETRIED)
    seeder = seeder_of(cast(Store, away), "n1", timeout_s=0.05)
    away.failing = 10**6
    with pytest.raises(
        StoreError, match=r"seeding: this node gave up after 0 s: no answer in time"
    ) as caught:
        seeder.seed(lambda: PARTS, lambda: False)
    assert caught.value.hint.endswith("start this node again")


def test_a_run_that_the_store_has_lost_is_not_seeded_into_what_came_after_it(store: Store) -> None:
    record = RunRecord(store, "n1")
    barricade = Barricade(store, "seed", "n1", lease_ms=200)
    seeder = JobSeeder(JobStore(store, "n1"), record, barricade, "run", SeedCalls(lambda url: "a:80"))
    with pytest.raises(RunError, match="its data is lost"):
        seeder.seed(lambda: PARTS, lambda: False)
    record.create("another life of its name")
    with pytest.raises(RunError, match="its data is lost"):
        seeder.seed(lambda: PARTS, lambda: False)
    assert store.scan(JOBS, None, 100) == []


HOSTS = ("a:80", "aa:80", "b:80")
MOST, FEW, MANY, KEPT = 10, 2, 14, 30


@pytest.fixture
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MOST_READY": MOST, "FEW_READY": FEW, "MANY_READY": MANY, "MOST_KEPT": KEPT}.items():
        monkeypatch.setattr(job_seeder, name, value)


def jobs_of(number: int) -> list[NewJob]:
    """Jobs of each host in turn."""
    hosts = itertools.cycle(HOSTS)
    return [new_job(next(hosts), each) for each in range(number)]


def new_job(host: str, number: int) -> NewJob:
    job = seed_id("group", host, str(number))
    return NewJob(job, host, JobPayload(Locator(str(number), "group", f"http://{host}/"), job))


def seed(store: Store, node: str, jobs: list[NewJob], at_once: int = 7) -> None:
    packer = SeedPacker(JobStore(store, node))
    for start in range(0, len(jobs), at_once):
        packer.add(jobs[start : start + at_once])
    packer.end()


def run_all(jobs: JobStore) -> Iterator[str]:
    """Take and end jobs as a node does, until no host has any."""
    while any(jobs.ready(host) for host in HOSTS):
        for host in HOSTS:
            taken = jobs.take(host, 3)
            yield from (job.id for job in taken)
            jobs.finished.end([Ending(job.id, job.fence, JobState.DONE) for job in taken])
            if len(taken) < 3:
                jobs.unpack(host)


@pytest.mark.usefixtures("small_portions")
@pytest.mark.parametrize("number", [3, 3 * MOST, 200])
def test_every_seeded_job_is_run_once_and_few_are_ready_at_a_time(store: Store, number: int) -> None:
    jobs, new = JobStore(store, "ann"), jobs_of(number)
    seed(store, "ann", new)
    assert jobs.left() == number
    most = 0
    done: Counter[str] = Counter()
    for job in run_all(jobs):
        done[job] += 1
        most = max(most, *(store.count(JOBS, f"R/{host}") for host in HOSTS))
    assert done == Counter(job.id for job in new)
    assert most <= MOST
    assert jobs.nothing_left()
    assert store.count(PAYLOADS) == 0


@pytest.mark.usefixtures("small_portions")
def test_of_further_hosts_fewer_jobs_are_ready_when_there_are_many(store: Store) -> None:
    seed(store, "ann", [new_job(host, number) for host in HOSTS for number in range(40)])
    ready = [store.count(JOBS, f"R/{host}") for host in HOSTS]
    assert ready == [MOST, MANY - MOST, FEW]


@pytest.mark.usefixtures("small_portions")
def test_a_run_is_not_over_while_jobs_are_packed(store: Store) -> None:
    jobs = JobStore(store, "ann")
    seed(store, "ann", jobs_of(60))
    for host in HOSTS:
        jobs.finished.end([Ending(job.id, job.fence, JobState.DONE) for job in jobs.take(host, 100)])
        assert jobs.ready(host), "a host whose jobs are packed is not dry"
    assert not jobs.nothing_left()
    assert jobs.left() > 0


@pytest.mark.usefixtures("small_portions")
def test_a_pack_of_a_node_that_dies_over_it_is_unpacked_by_another(store: Store) -> None:
    bob = JobStore(store, "bob")
    seed(store, "ann", jobs_of(90))
    assert SeedPacks(store, JobRecords("ann")).take("a:80") is not None
    before = bob.left()
    bob.take_back("ann")
    assert bob.left() > before, "its jobs are counted again"
    assert sorted(run_all(bob)) == sorted(job.id for job in jobs_of(90))


@pytest.mark.usefixtures("small_portions")
def test_two_nodes_unpack_different_packs(store: Store) -> None:
    seed(store, "ann", [new_job("a:80", number) for number in range(4 * MOST)])
    first, second = (SeedPacks(store, JobRecords(each)).take("a:80") for each in ("ann", "bob"))
    assert first is not None
    assert second is not None
    assert first.key != second.key


@pytest.mark.usefixtures("small_portions")
@pytest.mark.parametrize("dies_after", range(1, 60, 4))
def test_a_node_that_dies_while_it_seeds_or_unpacks_leaves_each_job_to_be_run_once(
    store: SettlingStore, dies_after: int
) -> None:
    dying = SettlingStore(FaultyStore(store, Faults(dies_after=dies_after), seed=dies_after))
    new = jobs_of(90)

    def live() -> None:
        seed(dying, "ann", new)
        list(run_all(JobStore(dying, "ann")))

    with pytest.raises(NodeDied):
        live()
    bob = JobStore(store, "bob")
    seed(store, "bob", new)
    bob.take_back("ann")
    bob.finished.bury()
    ended = {job for page in bob.finished.pages() for job, _ in page}
    done = Counter(run_all(bob))
    assert done == Counter(job.id for job in new if job.id not in ended)
    assert bob.nothing_left()


@pytest.mark.usefixtures("small_portions")
def test_seeding_over_a_store_that_loses_answers_seeds_every_job_once(store: SettlingStore) -> None:
    faulty = SettlingStore(FaultyStore(store, Faults(lose_first_answers=True, lost_answers=0.2), seed=3))
    new = jobs_of(90)
    while True:
        try:
            seed(faulty, "ann", new)
            break
        except StoreError:
            continue
    assert Counter(run_all(JobStore(store, "bob"))) == Counter(job.id for job in new)


HOST_NAMES = TextValues("host", ("a", "aa", "b"))
MANY_PAGES = LocatorDef("p", "http://%{host}/%{n}", values=(NumberValues("n", 1, 16), HOST_NAMES))
ONE_PAGE = LocatorDef("q", "http://b/q")
SEEDED_GROUPS = [LocatorGroup("pages", (MANY_PAGES, ONE_PAGE)), LocatorGroup("further", (MANY_PAGES,))]
NUMBER = 2 * 48 + 1


class Seeding:
    """Seeds the groups on a node, and counts the locators that it looks at."""

    def __init__(self, store: Store, node: str) -> None:
        self.looked_at = 0
        self._record = RunRecord(store, node)
        clock = itertools.count(step=100)  # so that a dead holder is found at the second look
        barricade = Barricade(store, "seed", node, 60_000, lambda: next(clock), lambda _: None)
        calls = SeedCalls(self._host_of)
        self._seeder = JobSeeder(JobStore(store, node), self._record, barricade, "run", calls)

    def seed(self, most: int = 10**6) -> bool:
        self._record.create("run")
        return self._seeder.seed(lambda: SEEDED_GROUPS, lambda: self.looked_at > most)

    def _host_of(self, url: str) -> str:
        self.looked_at += 1
        return f"{url.split('/')[2]}:80"


@pytest.fixture
def small_marks(small_portions: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_seeder, "PUT_AT_ONCE", 7)
    monkeypatch.setattr(job_seeder, "LOOK_AFTER", 14)


def all_jobs(monkeypatch: pytest.MonkeyPatch, store: Store) -> set[str]:
    """The ids of all jobs, seeded without a mark."""
    with monkeypatch.context() as unmarked:
        unmarked.setattr(job_seeder, "LOOK_AFTER", 10**9)
        assert Seeding(store, "eve").seed()
    return set(run_all(JobStore(store, "eve")))


@pytest.fixture
def expected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small_marks: None) -> set[str]:
    with closing(SqliteStore(tmp_path / "other.db")) as store:
        found = all_jobs(monkeypatch, SettlingStore(store))
    assert len(found) == NUMBER
    return found


def test_seeding_that_was_stopped_continues_at_its_mark(store: SettlingStore, expected: set[str]) -> None:
    assert not Seeding(store, "ann").seed(most=50)
    further = Seeding(store, "bob")
    assert further.seed()
    assert further.looked_at == NUMBER - 42, "the marks are 14 jobs apart"
    assert Counter(run_all(JobStore(store, "bob"))) == Counter(expected)
    assert JobStore(store, "bob").seed_marks("run").read() is None


def test_of_more_hosts_than_a_mark_holds_seeding_begins_again(
    store: SettlingStore, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_seeder, "MOST_MARKED", 2)
    assert not Seeding(store, "ann").seed(most=50)
    further = Seeding(store, "bob")
    assert further.seed()
    assert further.looked_at == NUMBER
    assert Counter(run_all(JobStore(store, "bob"))) == Counter(expected)


@pytest.mark.parametrize("first", range(4))
def test_a_node_that_dies_before_any_write_of_its_seeding_leaves_each_job_to_be_run_once(
    tmp_path: Path, expected: set[str], first: int
) -> None:
    dies_after, is_seeded = first, False
    while not is_seeded:
        with closing(SqliteStore(tmp_path / f"{dies_after}.db")) as opened:
            store = SettlingStore(opened)
            dying = SettlingStore(FaultyStore(store, Faults(dies_after=dies_after), seed=dies_after))
            with suppress(NodeDied):
                is_seeded = Seeding(dying, "ann").seed()
            assert Seeding(store, "bob").seed()
            assert Counter(run_all(JobStore(store, "bob"))) == Counter(expected)
        dies_after += 4
    assert dies_after > 40


def test_seeding_with_marks_over_a_store_that_loses_answers_seeds_every_job_once(
    store: SettlingStore, expected: set[str]
) -> None:
    faults = Faults(lose_first_answers=True, lost_answers=0.1, torn=0.1)
    faulty = SettlingStore(FaultyStore(store, faults, seed=5))
    while True:
        try:
            assert Seeding(faulty, "ann").seed()
            break
        except StoreError:
            continue
    assert Counter(run_all(JobStore(store, "bob"))) == Counter(expected)


def test_pages_of_one_address_with_other_values_that_fields_use_are_jobs_of_their_own(store: Store) -> None:
    values = (TextValues("shop", ("oslo", "oslo", "bergen")), TextValues("note", ("a", "b")))
    locator = LocatorDef("p", "http://a/", values=values)
    record = RunRecord(store, "n1")
    record.create("run")
    calls = SeedCalls(lambda url: "a:80", parents={"pages": ("shop",)})
    jobs = JobStore(store, "n1")
    seeder = JobSeeder(jobs, record, Barricade(store, "seed", "n1", lease_ms=200), "run", calls)
    assert seeder.seed(lambda: [LocatorGroup("pages", (locator,))], lambda: False)
    record.mark_seeded()
    taken = jobs.take("a:80", 9)
    assert sorted(str(job.payload.parent["shop"]) for job in taken) == ["bergen", "oslo"]
