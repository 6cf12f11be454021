"""SeedPacks: the jobs of a pack move once, whichever node unpacks it, and count until then."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec
import pytest

from scoopi.errors import RecordError, RunError
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import JobRecords, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.jobs.seed_packs import NONE_S, PACKED, SeedPacks, pack_host
from scoopi.store.ports import JOBS, PAYLOADS, Change, Outcome, Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock

HOST = "one.example:80"


class Counting(SettlingStore):
    """Notes how many records its scans may find."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.limits: list[int] = []

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        self.limits.append(limit)
        return super().scan(store_map, index_value, limit, after)


def jobs_of(count: int, first: int = 0) -> list[NewJob]:
    names = [f"{number:032x}" for number in range(first, first + count)]
    return [NewJob(name, HOST, JobPayload(Locator(name, "group", f"/{name}"), name)) for name in names]


def packs_of(store: Store, incarnation: str, clock: Clock) -> SeedPacks:
    return SeedPacks(store, JobRecords(incarnation), clock)


def test_a_pack_is_taken_once_and_holds_its_jobs(store: Store, clock: Clock) -> None:
    ann, bob = packs_of(store, "ann", clock), packs_of(store, "bob", clock)
    ann.put(HOST, 0, jobs_of(3))
    ann.put(HOST, 0, jobs_of(3))
    ann.put(HOST, 1, jobs_of(2, 3))
    assert ann.unseen() == 3, "two records stand for five jobs"
    first, second = bob.take(HOST), ann.take(HOST)
    assert first is not None
    assert second is not None
    assert (first.jobs, second.jobs) == (jobs_of(3), jobs_of(2, 3))
    assert bob.take(HOST) is None
    bob.remove(first.key)
    assert len(store.scan(JOBS, None, 10)) == len(store.scan(PAYLOADS, None, 10)) == 1


def test_packs_of_other_versions_are_unpacked_by_this_one(store: Store, clock: Clock) -> None:
    packs = packs_of(store, "ann", clock)
    packs.put(HOST, 0, jobs_of(2))
    ((key, packed),) = store.scan(PAYLOADS, None, 10)
    written = zlib.compress(msgspec.msgpack.encode([job.payload for job in jobs_of(2)]))
    assert zlib.decompress(packed) == zlib.decompress(written)
    store.delete_all(PAYLOADS, [key])
    store.put_if_absent_all(PAYLOADS, [(key, written)])
    pack = packs.take(HOST)
    assert pack is not None
    assert pack.jobs == jobs_of(2)


def test_a_host_has_only_packs_of_its_own(store: Store, clock: Clock) -> None:
    packs = packs_of(store, "ann", clock)
    packs.put("two.example:80", 0, jobs_of(2))
    assert not packs.has(HOST)
    assert packs.take(HOST) is None
    assert packs.has("two.example:80")


def test_while_there_is_no_pack_at_all_the_store_is_not_asked_for_each_host(
    store: Store, clock: Clock
) -> None:
    counting = Counting(store)
    packs = packs_of(counting, "ann", clock)
    assert [packs.has(f"{number}.example:80") for number in range(5)] == [False] * 5
    assert counting.limits == [1, 1], "one pack is enough to know that there are some"
    packs.put(HOST, 0, jobs_of(2))
    assert not packs.has(HOST), "for a second it is taken for granted that there is none"
    clock.pass_s(NONE_S)
    assert packs.has(HOST)


def test_a_pack_without_its_jobs_means_that_data_is_lost(store: Store, clock: Clock) -> None:
    packs = packs_of(store, "ann", clock)
    packs.put(HOST, 0, jobs_of(2))
    store.delete_all(PAYLOADS, [key for key, _ in store.scan(PAYLOADS, None, 10)])
    with pytest.raises(RunError, match=f"the seeded jobs of {HOST} are gone"):
        packs.take(HOST)


def test_a_damaged_pack_is_named(store: Store, clock: Clock) -> None:
    packs = packs_of(store, "ann", clock)
    packs.put(HOST, 0, jobs_of(2))
    ((key, _),) = store.scan(PAYLOADS, None, 10)
    store.delete_all(PAYLOADS, [key])
    store.put_if_absent_all(PAYLOADS, [(key, b"not compressed")])
    with pytest.raises(RecordError, match="did not write"):
        packs.take(HOST)


class Overtaken(SettlingStore):
    """Another node takes each pack just before this one does."""

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        JobStore(self._inner, "bob").unpack(HOST)
        return super().cas_all(store_map, changes)


def test_a_pack_that_another_node_takes_first_is_left_to_it(store: Store) -> None:
    jobs = JobStore(Overtaken(store), "ann")
    jobs.put_packed(HOST, 0, jobs_of(3))
    assert jobs.unpack(HOST) == 0
    assert [job.id for job in jobs.take(HOST, 10)] == [job.id for job in jobs_of(3)]


def test_unpacked_jobs_can_be_taken_and_the_pack_is_gone(store: Store) -> None:
    jobs, begun = JobStore(store, "ann"), list[bool]()
    jobs.put_packed(HOST, 0, jobs_of(3))
    assert jobs.left() == 3
    assert jobs.unpack("two.example:80", lambda: begun.append(True)) == 0
    assert begun == []
    assert jobs.unpack(HOST, lambda: begun.append(True)) == 3
    assert begun == [True]
    assert [job.id for job in jobs.take(HOST, 10)] == [job.id for job in jobs_of(3)]
    assert jobs.unpack(HOST) == 0
    assert jobs.left() == 3


def test_a_pack_counts_as_its_jobs_and_a_key_without_their_number_as_one(store: Store, clock: Clock) -> None:
    packs, records = packs_of(store, "ann", clock), JobRecords("ann")
    packs.put(HOST, 0, jobs_of(3))
    store.put_if_absent_all(JOBS, [(f"{PACKED}{HOST}/odd", records.new(PACKED, b""))])
    assert store.count(JOBS) + packs.unseen() == 4


def test_the_host_of_a_pack_is_in_its_key(store: Store, clock: Clock) -> None:
    packs_of(store, "ann", clock).put("a/b:80", 0, jobs_of(1))
    ((key, _),) = store.scan(JOBS, None, 10)
    assert pack_host(key) == "a/b:80"
    assert pack_host(jobs_of(1)[0].id) == ""
