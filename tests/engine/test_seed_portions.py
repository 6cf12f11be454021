"""SeedPortions: few of many seeded jobs stand in the store at a time, and each is run once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest

from scoopi.engine import seed_portions
from scoopi.engine.seed_portions import SeedPortions
from scoopi.errors import StoreError
from scoopi.model.job import JobPayload, JobState, seed_id
from scoopi.model.locator import Locator
from scoopi.store.pages.job_store import JobStore
from scoopi.store.pages.job_values import Ending, NewJob
from scoopi.store.ports import Store
from scoopi.store.run_maps import JOBS, PAYLOADS
from scoopi.store.settling_store import SettlingStore
from tests.store.faulty_store import Faults, FaultyStore, NodeDied

HOSTS = ("a:80", "aa:80", "b:80")
MOST, FEW, MANY, KEPT = 10, 2, 14, 30


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MOST_READY": MOST, "FEW_READY": FEW, "MANY_READY": MANY, "MOST_KEPT": KEPT}.items():
        monkeypatch.setattr(seed_portions, name, value)


def jobs_of(number: int) -> list[NewJob]:
    """So many jobs, of each host in turn."""
    hosts = itertools.cycle(HOSTS)
    return [new_job(next(hosts), each) for each in range(number)]


def new_job(host: str, number: int) -> NewJob:
    job = seed_id("group", host, str(number))
    return NewJob(job, host, JobPayload(Locator(str(number), "group", f"http://{host}/"), job))


def seed(store: Store, node: str, jobs: list[NewJob], at_once: int = 7) -> None:
    portions = SeedPortions(JobStore(store, node))
    for start in range(0, len(jobs), at_once):
        portions.add(jobs[start : start + at_once])
    portions.end()


def run_all(jobs: JobStore) -> Iterator[str]:
    """Take and end jobs as a node does, until no host has any."""
    while any(jobs.ready(host) for host in HOSTS):
        for host in HOSTS:
            taken = jobs.take(host, 3)
            yield from (job.id for job in taken)
            jobs.end([Ending(job.id, job.fence, JobState.DONE) for job in taken])
            if len(taken) < 3:
                jobs.unpack(host)


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


def test_of_further_hosts_fewer_jobs_are_ready_when_there_are_many(store: Store) -> None:
    seed(store, "ann", [new_job(host, number) for host in HOSTS for number in range(40)])
    ready = [store.count(JOBS, f"R/{host}") for host in HOSTS]
    assert ready == [MOST, MANY - MOST, FEW]


def test_a_run_is_not_over_while_jobs_are_packed(store: Store) -> None:
    jobs = JobStore(store, "ann")
    seed(store, "ann", jobs_of(60))
    for host in HOSTS:
        jobs.end([Ending(job.id, job.fence, JobState.DONE) for job in jobs.take(host, 100)])
        assert jobs.ready(host), "a host whose jobs are packed is not dry"
    assert not jobs.nothing_left()
    assert jobs.left() > 0


def test_a_pack_of_a_node_that_dies_over_it_is_unpacked_by_another(store: Store) -> None:
    ann, bob = JobStore(store, "ann"), JobStore(store, "bob")
    seed(store, "ann", jobs_of(90))
    assert ann._packs.take("a:80") is not None
    before = bob.left()
    bob.take_back("ann")
    assert bob.left() > before, "its jobs are counted again"
    assert sorted(run_all(bob)) == sorted(job.id for job in jobs_of(90))


def test_two_nodes_unpack_different_packs(store: Store) -> None:
    ann, bob = JobStore(store, "ann"), JobStore(store, "bob")
    seed(store, "ann", [new_job("a:80", number) for number in range(4 * MOST)])
    first, second = ann._packs.take("a:80"), bob._packs.take("a:80")
    assert first is not None
    assert second is not None
    assert first.key != second.key


@pytest.mark.parametrize("dies_after", range(1, 60, 4))
def test_who_dies_while_it_seeds_or_unpacks_leaves_each_job_to_be_run_once(
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
    bob.bury()
    ended = {job for page in bob.ended_pages() for job, _ in page}
    done = Counter(run_all(bob))
    assert done == Counter(job.id for job in new if job.id not in ended)
    assert bob.nothing_left()


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
