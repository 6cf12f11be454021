"""The life of a job: READY, TAKEN, ended and remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from scoopi.errors import RecordError, RunError
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.finished_jobs import BATCH, RememberedEnds
from scoopi.store.jobs.job_records import (
    Ended,
    Ending,
    HeldJob,
    JobRecords,
    NewJob,
    Reconciled,
    TakenJob,
)
from scoopi.store.jobs.job_store import LARGE, JobStore
from scoopi.store.nodes.node_record import marks_of
from scoopi.store.ports import HOSTS, JOBS, PAYLOADS, Change, Outcome, Store, StoreMap

HOST = "shop.example:443"
DONE, FAILED = JobState.DONE, JobState.FAILED


def new_job(job: str, host: str = HOST) -> NewJob:
    return NewJob(job, host, JobPayload(Locator(job, "books", f"https://{host}/{job}"), seed=job))


def large_job(job: str) -> NewJob:
    """Its payload stands apart from its record."""
    return NewJob(job, HOST, JobPayload(Locator(job, "books", "/" * LARGE), seed=job))


def end_of(job: TakenJob, state: JobState = DONE) -> Ending:
    return Ending(job.id, job.fence, state)


def ids(jobs: list[TakenJob]) -> set[str]:
    return {job.id for job in jobs}


def all_ended(jobs: JobStore) -> list[tuple[str, Ended]]:
    return [end for page in jobs.finished.pages() for end in page]


def test_a_job_is_put_taken_ended_and_remembered(ann: JobStore, store: Store) -> None:
    ann.put([new_job("j1")])
    assert ann.ready(HOST) == ann.left() == 1
    (taken,) = ann.take(HOST, 10)
    assert taken == TakenJob("j1", 1, 0, HOST, new_job("j1").payload)
    assert ann.ready(HOST) == 0
    assert ann.taken() == [HeldJob("j1", 1)]
    assert ann.finished.end([end_of(taken, FAILED)]) == [True]
    assert ann.finished.ended(["j1", "j2"]) == {"j1": Ended("ann", 1, FAILED)}
    assert ann.left() == 0
    assert ann.nothing_left()
    assert store.count(PAYLOADS) == store.count(JOBS) == 0


def test_a_record_is_canonical_json_with_its_state_key(ann: JobStore, store: Store) -> None:
    ann.put([large_job("j1")])
    assert store.get_all(JOBS, ["j1"])["j1"] == (
        b'{"host":"shop.example:443","incarnation":"ann","state":"READY","state_key":"R/shop.example:443"}'
    )


def test_a_host_stands_before_its_jobs_and_a_payload_before_its_record(store: Store) -> None:
    order: list[StoreMap] = []

    class Watched:
        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def put_if_absent_all(
            self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]
        ) -> list[Outcome]:
            order.append(store_map)
            return store.put_if_absent_all(store_map, records)

    JobStore(Watched(), "ann").put([new_job("j1"), large_job("j2")])
    assert order == [HOSTS, PAYLOADS, JOBS]


def test_a_payload_is_in_its_record_unless_it_is_large(ann: JobStore, bob: JobStore, store: Store) -> None:
    ann.put([new_job("j1"), large_job("j2")])
    assert [key for key, _ in store.scan(PAYLOADS, None, 10)] == ["j2"]
    ann.take(HOST, 2)
    bob.take_back("ann")
    taken = {job.id: job for job in bob.take(HOST, 2)}
    assert {job: found.payload for job, found in taken.items()} == {
        "j1": new_job("j1").payload,
        "j2": large_job("j2").payload,
    }
    assert bob.hand_back([taken["j1"]]) == 1
    assert [job.payload for job in bob.take(HOST, 1)] == [new_job("j1").payload]
    bob.finished.end([Ending("j1", 3, DONE), end_of(taken["j2"])])
    assert store.count(PAYLOADS) == store.count(JOBS) == 0


def test_a_payload_gets_a_record_of_its_own_from_one_byte_more_than_the_limit_on(
    ann: JobStore, store: Store
) -> None:
    def job_of(length: int) -> NewJob:
        payload = JobPayload(Locator("j", "books", "/" * length), seed="j")
        return NewJob(f"j{length}", HOST, payload)

    rest = len(JobRecords("ann").payload(job_of(LARGE // 2).payload)) - LARGE // 2
    ann.put([job_of(LARGE - rest), job_of(LARGE - rest + 1)])
    assert [key for key, _ in store.scan(PAYLOADS, None, 10)] == [f"j{LARGE - rest + 1}"]


class Reading:
    """Notes which records are read by their keys."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.read: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        self.read += keys if store_map is JOBS else ()
        return self._store.get_all(store_map, keys)


def test_a_node_remembers_the_records_of_jobs_that_it_holds_and_no_longer(store: Store) -> None:
    reading: Any = Reading(store)
    ann = JobStore(reading, "ann")
    ann.put([new_job("j1"), new_job("j2")])
    first, second = ann.take(HOST, 2)
    ann.hand_back([first])
    ann.finished.end([end_of(second)])
    assert reading.read == []
    assert ann.hand_back([first]) == 0
    assert reading.read == ["j1"]
    assert ann.finished.end([end_of(second)]) == [True]
    assert reading.read == ["j1", "j2"]


def test_keys_that_are_not_text_are_counted_but_are_no_jobs_that_are_left(store: Store) -> None:
    class Foreign:
        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
            return store.count(store_map, index_value) + 1

        def scan(
            self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
        ) -> list[tuple[str, bytes]]:
            limits.append(limit)
            return store.scan(store_map, index_value, limit, after)

    limits: list[int] = []
    ann = JobStore(Foreign(), "ann")
    assert ann.nothing_left()
    ann.put([new_job("j1")])
    assert not ann.nothing_left()
    assert limits == [1, 1], "one is enough"


def test_a_job_or_pack_of_a_host_that_the_run_does_not_know_would_never_be_taken(
    ann: JobStore, store: Store
) -> None:
    ann.put([new_job("j1"), new_job("j2", "other.example:80")])
    ann.put_packed(HOST, 0, [new_job("j3")])
    ann.refuse_strays()
    (other,) = ann.take("other.example:80", 1)
    store.delete_all(HOSTS, ["other.example:80"])
    ann.refuse_strays()  # it is taken, so it is not waiting for its host
    ann.hand_back([other])
    with pytest.raises(RecordError, match="the run does not know its host") as raised:
        ann.refuse_strays()
    assert raised.value.at == "jobs['j2']"
    ann.finished.end([end_of(job) for job in ann.take("other.example:80", 1)])
    ann.put_packed("third.example:80", 0, [new_job("j4", "third.example:80")])
    with pytest.raises(RecordError, match="the run does not know its host") as raised:
        ann.refuse_strays()
    assert raised.value.at.startswith("jobs['~third.example:80/")


def test_a_node_that_took_a_job_gives_it_back_or_ends_it_without_reading_it(store: Store) -> None:
    class Unread:
        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
            assert store_map is not JOBS
            return store.get_all(store_map, keys)

    ann = JobStore(Unread(), "ann")
    ann.put([new_job("j1"), new_job("j2")])
    first, second = ann.take(HOST, 2)
    assert ann.hand_back([first]) == 1
    assert ann.finished.end([end_of(second)]) == [True]


def test_a_process_ends_a_job_that_it_has_not_taken_itself(ann: JobStore, store: Store) -> None:
    """An end that is made again, or after a take whose answer was lost."""
    ann.put([new_job("j1"), new_job("j2")])
    first, second = ann.take(HOST, 2)
    again = JobStore(store, "ann")
    assert again.finished.end([end_of(first)]) == [True]
    assert again.hand_back([second]) == 1
    assert ann.finished.end([end_of(first), end_of(second)]) == [True, False]


def test_hosts_are_those_of_all_jobs_ever_put(ann: JobStore) -> None:
    ann.put([new_job(f"j{number}", f"h{number % 700:03}") for number in range(1400)])
    assert ann.hosts() == [f"h{number:03}" for number in range(700)]


def test_a_job_that_exists_stays_as_it_is(ann: JobStore, bob: JobStore) -> None:
    ann.put([new_job("j1")])
    (taken,) = ann.take(HOST, 1)
    bob.put([new_job("j1"), new_job("j2")])
    assert ids(bob.take(HOST, 10)) == {"j2"}
    assert ann.finished.end([end_of(taken)]) == [True]


def test_jobs_are_taken_for_one_host_and_no_more_than_asked(ann: JobStore) -> None:
    ann.put([new_job(f"a{number}", "a") for number in range(5)] + [new_job("b1", "b")])
    assert len(ann.take("a", 3)) == 3
    assert len(ann.take("a", 3)) == 2
    assert ann.take("a", 3) == []
    assert ann.take("b", 0) == []
    assert ids(ann.take("b", 3)) == {"b1"}


def test_two_nodes_never_take_the_same_job(ann: JobStore, bob: JobStore) -> None:
    ann.put([new_job(f"{number:032x}") for number in range(100)])
    both = []
    for _ in range(20):
        both += ann.take(HOST, 7) + bob.take(HOST, 7)
    assert len(both) == len(ids(both)) == 100


def test_nodes_begin_at_places_of_their_own(store: Store) -> None:
    JobStore(store, "x").put([new_job(f"{number % 16:x}{number:031x}") for number in range(320)])
    first = []
    for node in ("ann", "bob", "cid", "dot"):
        jobs = JobStore(store, node)
        (taken,) = jobs.take(HOST, 1)
        first.append(taken.id)
        jobs.hand_back([taken])
    assert len(set(first)) > 1


def test_a_hand_back_counts_nothing_and_no_take_has_the_fence_of_another(ann: JobStore) -> None:
    ann.put([new_job("j1")])
    (first,) = ann.take(HOST, 1)
    assert ann.hand_back([first]) == 1
    (second,) = ann.take(HOST, 1)
    assert (second.fence, second.lost) == (first.fence + 1, 0)
    assert ann.hand_back([first]) == 0
    assert ann.finished.end([end_of(first)]) == [False]
    assert ann.finished.end([end_of(second)]) == [True]


def test_a_job_of_a_crashed_node_is_taken_again(ann: JobStore, bob: JobStore) -> None:
    ann.put([new_job(f"j{number}") for number in range(1200)])
    ann.take(HOST, 1200)
    assert bob.take(HOST, 1) == []
    assert bob.take_back("ann") == 1200
    assert bob.take_back("ann") == 0
    again = bob.take(HOST, 1200)
    assert len(again) == 1200
    assert {(job.fence, job.lost) for job in again} == {(2, 1)}


def test_what_a_node_that_left_still_holds_counts_as_handed_back(ann: JobStore, bob: JobStore) -> None:
    ann.put([new_job("j1")])
    ann.take(HOST, 1)
    assert bob.take_back("ann", counts=False) == 1
    assert [job.lost for job in bob.take(HOST, 1)] == [0]


def test_a_stale_sleepers_end_is_lost(ann: JobStore, bob: JobStore) -> None:
    ann.put([new_job("j1"), new_job("j2")])
    slept = ann.take(HOST, 2)
    bob.take_back("ann")
    (taken,) = bob.take(HOST, 1)
    bob.finished.end([end_of(taken)])
    assert ann.finished.end([end_of(job) for job in slept]) == [False, False]
    assert bob.finished.ended(["j1", "j2"]) == {taken.id: Ended("bob", 2, DONE)}
    assert bob.left() == 1


def test_an_end_that_another_node_buried_before_the_answer_came_counts(store: Store) -> None:
    bob = JobStore(store, "bob")

    class BuriedMeanwhile:
        """Loses the answer of the ending cas, and the record with it."""

        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
            outcomes = store.cas_all(store_map, changes)
            if bob.finished.bury():
                return [Outcome(False, None) for _ in changes]
            return outcomes

    ann = JobStore(BuriedMeanwhile(), "ann")
    ann.put([new_job("j1")])
    (taken,) = ann.take(HOST, 1)
    assert ann.finished.end([end_of(taken)]) == [True]
    assert ann.finished.end([end_of(taken)]) == [True]
    assert ann.finished.end([Ending("j1", 7, DONE)]) == [False]


def test_ends_are_answered_in_order(ann: JobStore) -> None:
    ann.put([new_job(f"j{number}") for number in range(4)])
    taken = sorted(ann.take(HOST, 4))
    endings = [end_of(taken[2]), Ending("unknown", 1, DONE), end_of(taken[0]), Ending("j1", 9, DONE)]
    assert ann.finished.end(endings) == [True, False, True, False]
    assert ann.finished.end([]) == []


class Dying:
    """The store of a node that dies while it ends jobs, before or after one of the writes."""

    def __init__(self, store: Store, at: str) -> None:
        self._store = store
        self._at = at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def move_all(self, *_: object) -> bool:
        return False

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        outcomes = [] if self._at == "ended" else self._store.put_if_absent_all(store_map, records)
        if self._at != "delete":
            raise KeyboardInterrupt
        return outcomes

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        raise KeyboardInterrupt


def half_ended(store: Store, jobs: JobStore, at: str) -> None:
    """Leave a job with state key `E`, as a node that died there does."""
    (taken,) = jobs.take(HOST, 1)
    with pytest.raises(KeyboardInterrupt):
        JobStore(Dying(store, at), "ann").finished.end([end_of(taken)])


@pytest.mark.parametrize("at", ["ended", "after ended", "delete"])
def test_a_half_ended_job_is_finished_whichever_node_left_it(
    store: Store, ann: JobStore, bob: JobStore, at: str
) -> None:
    ann.put([large_job("j1")])
    half_ended(store, ann, at)
    assert bob.finished.ended(["j1", "j2"]) == {"j1": Ended("ann", 1, DONE)}
    assert all_ended(bob) == [("j1", Ended("ann", 1, DONE))]
    assert bob.left() == 0
    assert not bob.nothing_left()
    assert bob.finished.bury() == 1
    assert bob.finished.bury() == 0
    assert bob.nothing_left()
    assert store.count(PAYLOADS) == 0
    assert bob.finished.ended(["j1"]) == {"j1": Ended("ann", 1, DONE)}


def test_a_parent_run_twice_revives_nothing(ann: JobStore, bob: JobStore, store: Store) -> None:
    children = [new_job(f"c{number}") for number in range(30)]
    ann.put(children)
    done = ann.take(HOST, 10)
    ann.finished.end([end_of(job) for job in done])
    bob.put(children)
    taken = bob.take(HOST, 5) + bob.take(HOST, 100)
    assert ids(taken).isdisjoint(ids(done))
    assert len(taken) == 20
    bob.finished.end([end_of(job) for job in taken])
    assert bob.nothing_left()
    assert store.count(PAYLOADS) == 0
    assert {end.incarnation for _, end in all_ended(ann)} == {"ann", "bob"}


def test_of_two_ends_of_one_job_the_one_remembered_first_counts(
    ann: JobStore, bob: JobStore, store: Store
) -> None:
    """Ann's end comes after Bob's, on a revived record that she has just taken with the same fence."""
    ann.put([new_job("j1")])
    (slept,) = ann.take(HOST, 1)
    held = store.get_all(JOBS, ["j1"])["j1"]
    bob.take_back("ann")
    bob.finished.end([end_of(job) for job in bob.take(HOST, 1)])
    store.put_if_absent_all(JOBS, [("j1", held)])
    assert ann.finished.end([end_of(slept)]) == [False]
    assert ann.finished.ended(["j1"]) == {"j1": Ended("bob", 2, DONE)}
    assert ann.nothing_left()


def test_a_parent_run_twice_leaves_no_payload_of_a_half_ended_child(
    ann: JobStore, bob: JobStore, store: Store
) -> None:
    ann.put([large_job("j1")])
    half_ended(store, ann, "ended")
    store.delete_all(PAYLOADS, ["j1"])
    bob.put([large_job("j1")])
    assert store.count(PAYLOADS) == 0


def test_ended_jobs_of_both_kinds_are_reported_each_once_by_id(ann: JobStore, store: Store) -> None:
    ann.put([new_job(f"j{number:02}") for number in range(20)])
    for _ in range(5):
        ann.finished.end([end_of(job) for job in ann.take(HOST, 3)])
        half_ended(store, ann, "after ended")
    assert [job for job, _ in all_ended(ann)] == [f"j{number:02}" for number in range(20)]


def test_very_many_half_ended_jobs_are_known_too(ann: JobStore, bob: JobStore, store: Store) -> None:
    ann.put([new_job(f"j{number:03}") for number in range(BATCH + 1)])
    taken = ann.take(HOST, BATCH + 1)

    with pytest.raises(KeyboardInterrupt):
        JobStore(Dying(store, "after ended"), "ann").finished.end([end_of(job) for job in taken])
    assert bob.finished.ended(["j000", f"j{BATCH}"]).keys() == {"j000", f"j{BATCH}"}
    assert len(all_ended(bob)) == BATCH + 1
    assert bob.finished.bury() == BATCH + 1


def test_a_job_without_payload_means_that_data_is_lost(ann: JobStore, store: Store) -> None:
    ann.put([large_job("j1")])
    store.delete_all(PAYLOADS, ["j1"])
    with pytest.raises(RunError, match="j1 has no payload"):
        ann.take(HOST, 1)
    ann.put([large_job("k" * 1000)])
    store.delete_all(PAYLOADS, ["k" * 1000])
    with pytest.raises(RunError, match=f"job {'k' * 60} has no payload"):
        ann.take(HOST, 1)


def test_a_sleeper_that_finds_its_take_ended_by_another_runs_nothing_and_misses_nothing(store: Store) -> None:
    bob = JobStore(store, "bob")

    class Sleeper:
        """Sleeps after its take, between any two readings; bob ends the job meanwhile."""

        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
            found = store.get_all(store_map, keys)
            if bob.take_back("ann"):
                bob.finished.end([end_of(job) for job in bob.take(HOST, 1)])
            return found

    ann = JobStore(Sleeper(), "ann")
    ann.put([large_job("j1")])  # two readings: its payload, whether it has ended
    assert ann.take(HOST, 1) == []
    assert bob.finished.ended(["j1"]).keys() == {"j1"}


def test_a_job_that_a_sleeper_puts_again_when_the_run_is_over_is_not_run(
    ann: JobStore, bob: JobStore, store: Store
) -> None:
    bob.put([new_job("j1")])
    bob.finished.end([end_of(job) for job in bob.take(HOST, 1)])
    RememberedEnds(store).expire(60)
    ann.put([new_job("j1")])
    assert ann.take(HOST, 1) == []
    assert ann.nothing_left()


def test_of_a_dead_nodes_jobs_those_count_as_lost_that_its_workers_had(ann: JobStore, bob: JobStore) -> None:
    ann.put([new_job(f"j{number}") for number in range(5)])
    ann.take(HOST, 5)
    assert bob.take_back("ann", given=marks_of(["j1", "j3", "ended"])) == 5
    assert {job.id: job.lost for job in bob.take(HOST, 5)} == {"j0": 0, "j1": 1, "j2": 0, "j3": 1, "j4": 0}


def test_when_none_is_left_of_what_its_workers_had_each_of_a_dead_nodes_jobs_counts(
    ann: JobStore, bob: JobStore
) -> None:
    ann.put([new_job("j1"), new_job("j2")])
    ann.take(HOST, 2)
    bob.take_back("ann", given=marks_of(["ended"]))
    assert [job.lost for job in bob.take(HOST, 2)] == [1, 1]


class TestReconciling:
    def test_what_others_took_back_is_named_once_when_it_was_missing_twice(
        self, ann: JobStore, bob: JobStore
    ) -> None:
        ann.put([new_job("j1"), new_job("j2")])
        ann.take(HOST, 2)
        bob.take_back("ann")
        bob.take(HOST, 1)
        found = [ann.reconcile({"j1", "j2"}, self.nothing_committed).gone for _ in range(4)]
        assert found == [frozenset(), {"j1", "j2"}, frozenset(), frozenset()]

    def test_what_ends_between_two_rounds_was_not_taken_back_by_others(self, ann: JobStore) -> None:
        ann.put([new_job("j1"), new_job("j2")])
        one, two = ann.take(HOST, 2)
        for job in (one, two):
            ann.finished.end([end_of(job)])
            assert ann.reconcile({job.id}, self.nothing_committed).gone == frozenset()

    def nothing_committed(self, job: str, fence: int) -> JobState | None:
        return None

    def test_what_is_unknown_twice_and_not_committed_is_ready_again(self, ann: JobStore) -> None:
        ann.put([new_job("j1"), new_job("j2")])
        ann.take(HOST, 2)
        assert ann.reconcile({"j1"}, self.nothing_committed) == Reconciled(0, 0)
        assert ann.reconcile({"j1"}, self.nothing_committed) == Reconciled(0, 1)
        assert ann.taken() == [HeldJob("j1", 1)]
        assert [(job.id, job.fence, job.lost) for job in ann.take(HOST, 2)] == [("j2", 2, 0)]

    def test_what_is_unknown_and_committed_is_ended_again(self, ann: JobStore) -> None:
        ann.put([new_job("j1"), new_job("j2")])
        ann.take(HOST, 2)

        def of_frames(job: str, fence: int) -> JobState | None:
            return {("j1", 1): FAILED, ("j2", 9): DONE}.get((job, fence))

        ann.reconcile(set(), of_frames)
        assert ann.reconcile(set(), of_frames) == Reconciled(1, 1)
        assert ann.finished.ended(["j1", "j2"]) == {"j1": Ended("ann", 1, FAILED)}
        assert ann.ready(HOST) == 1

    def test_a_job_on_its_way_is_left_alone(self, ann: JobStore) -> None:
        ann.put([new_job("j1")])
        (first,) = ann.take(HOST, 1)
        ann.reconcile(set(), self.nothing_committed)
        ann.hand_back([first])
        (second,) = ann.take(HOST, 1)
        assert ann.reconcile(set(), self.nothing_committed) == Reconciled(0, 0)
        assert ann.finished.end([end_of(second)]) == [True]

    def test_jobs_of_other_nodes_are_not_touched(self, ann: JobStore, bob: JobStore) -> None:
        ann.put([new_job("j1")])
        bob.take(HOST, 1)
        assert [ann.reconcile(set(), self.nothing_committed) for _ in range(3)] == [Reconciled(0, 0)] * 3
        assert bob.taken() == [HeldJob("j1", 1)]
