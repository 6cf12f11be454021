"""Jobs of many hosts are taken together, each by one node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import Store, StoreMap
from scoopi.store.settling_store import SettlingStore


def new_job(job: str, host: str) -> NewJob:
    return NewJob(job, host, JobPayload(Locator(job, "books", f"https://{host}/{job}"), seed=job))


def test_jobs_of_many_hosts_are_taken_together_and_no_more_of_each_than_asked(ann: JobStore) -> None:
    hosts = [f"host{number}:80" for number in range(40)]
    ann.put([new_job(f"{at % 16:x}{host}-{at}", host) for host in hosts for at in range(5)])
    assert ann.take_each(["empty:80"], 3) == []
    began: list[int] = []
    taken = ann.take_each([*hosts, "empty:80"], 3, lambda: began.append(1))
    assert sorted(job.host for job in taken) == sorted(host for host in hosts for _ in range(3))
    assert began == [1]
    assert all(job.payload.locator.name == job.id and job.fence == 1 for job in taken)
    assert len(ann.take_each(hosts, 3)) == 2 * len(hosts)
    assert ann.take_each(hosts, 3) == []


def test_two_nodes_that_take_of_many_hosts_never_have_the_same_job(ann: JobStore, bob: JobStore) -> None:
    hosts = [f"host{number}:80" for number in range(8)]
    ann.put([new_job(f"{at:x}{host}", host) for host in hosts for at in range(16)])
    seen: list[str] = []
    while taken := [*ann.take_each(hosts, 3), *bob.take_each(hosts, 2)]:
        seen += (job.id for job in taken)
    assert sorted(seen) == sorted(f"{at:x}{host}" for host in hosts for at in range(16))


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_of_two_hosts_no_more_are_taken_than_asked_though_a_node_begins_in_their_middle(
    ann: JobStore, limit: int
) -> None:
    hosts = ["one:80", "two:80"]
    ann.put([new_job(f"{at:02x}{host}", host) for host in hosts for at in range(0, 256, 4)])
    taken: list[str] = []
    while some := ann.take_each(hosts, limit):
        assert max(Counter(job.host for job in some).values()) <= limit
        taken += (job.id for job in some)
    assert sorted(taken) == sorted(f"{at:02x}{host}" for host in hosts for at in range(0, 256, 4))


class Reading(SettlingStore):
    """Notes of how many values each scan of several asks for, and how many jobs one may find behind where."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.asked: list[int] = []
        self.scans: list[tuple[int, str]] = []

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        self.scans.append((limit, after))
        return super().scan(store_map, index_value, limit, after)

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        self.asked.append(len(index_values))
        return super().scan_each(store_map, index_values, limit, after)


def test_hosts_with_enough_jobs_behind_the_place_of_a_node_are_read_once(store: Store) -> None:
    reading = Reading(store)
    jobs = JobStore(reading, "ann")
    hosts = ["one:80", "two:80", "few:80"]
    jobs.put([new_job(f"{at:02x}{host}", host) for host in hosts[:2] for at in range(0, 256, 4)])
    jobs.put([new_job("few", "few:80")])
    assert len(jobs.take_each(hosts, 2)) == 5
    assert reading.asked == [3, 1]


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_of_one_host_no_more_are_taken_than_asked_though_a_node_begins_in_their_middle(
    ann: JobStore, limit: int
) -> None:
    ann.put([new_job(f"{at:02x}", "one:80") for at in range(0, 256, 4)])
    taken: list[str] = []
    while some := ann.take("one:80", limit):
        assert len(some) <= limit
        taken += (job.id for job in some)
    assert sorted(taken) == [f"{at:02x}" for at in range(0, 256, 4)]
    assert taken[0] != "00", "nodes rarely compete if they do not all begin with the first"


def test_one_host_is_read_from_the_place_of_the_node_on_and_then_from_the_first_job_if_there_are_too_few(
    store: Store,
) -> None:
    reading = Reading(store)
    jobs = JobStore(reading, "ann")
    assert jobs.take("one:80", 0) == []
    assert reading.scans == [], "nothing is asked for"
    assert jobs.take("one:80", 3) == []
    (_, place), rest = reading.scans
    assert place
    assert rest == (3, "")
    jobs.put([new_job(f"{place}{at}", "one:80") for at in range(4)])
    reading.scans.clear()
    assert len(jobs.take("one:80", 3)) == 3
    assert reading.scans == [(3, place)]


def test_a_job_at_the_very_place_where_a_node_begins_is_taken_as_well(store: Store) -> None:
    reading = Reading(store)
    jobs = JobStore(reading, "ann")
    jobs.take("one:80", 1)
    place = reading.scans[0][1]
    jobs.put([new_job(place, "one:80")])
    (taken,) = jobs.take("one:80", 2)
    assert jobs.hand_back([taken]) == 1
    assert [job.id for job in jobs.take_each(["one:80", "two:80"], 2)] == [place]
