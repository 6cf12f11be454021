"""What is remembered of ended jobs, while a run goes on and when it is over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from scoopi.errors import StoreError
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs import finished_jobs
from scoopi.store.jobs.finished_jobs import PACK, PACKS, PAGE, RememberedEnds
from scoopi.store.jobs.job_records import Ended, Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import ENDED, JOBS, Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.faulty_store import Faults, FaultyStore, NodeDied

ALL = {f"{number:032x}": Ended(f"node{number % 3}", number % 5 + 1, JobState.DONE) for number in range(120)}
WRITES = 14 + 13
"""Of the node that packs: 12 packs, that all are packed, one removal; all that is left is given an end."""


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PAGE": 30, "PACK": 10, "PACKS": 3}.items():
        monkeypatch.setattr(finished_jobs, name, value)


@pytest.fixture
def ends(store: Store) -> RememberedEnds:
    ends = RememberedEnds(store)
    assert ends.remember(ALL) == ALL
    return ends


def reported(ends: RememberedEnds) -> dict[str, Ended]:
    found = [end for page in ends.pages() for end in page]
    assert [job for job, _ in found] == sorted(dict(found)), "each is listed once, by id"
    return dict(found)


def test_packs_are_read_by_nodes_of_other_versions(ends: RememberedEnds, store: Store) -> None:
    ends.expire(60)
    key, record = store.scan(ENDED, None, 2)[1]
    first = dict([*ALL.items()][:10])
    assert msgspec.msgpack.decode(record, type=list[tuple[str, Ended]]) == [*first.items()]
    assert key.startswith(f"~{next(iter(first))}/")


def test_the_end_that_was_remembered_first_stands(ends: RememberedEnds) -> None:
    job, end = next(iter(ALL.items()))
    assert ends.remember({job: Ended("late", 9, JobState.FAILED)}) == {job: end}
    assert ends.of([job, "unknown"]) == {job: end}


def test_when_the_run_is_over_few_records_show_all_ends(ends: RememberedEnds, store: Store) -> None:
    assert reported(ends) == ALL
    ends.expire(60)
    assert reported(ends) == ALL
    assert store.count(ENDED) == 12 + 1
    ends.expire(60)
    assert reported(ends) == ALL
    assert PACKS * PACK == PAGE, "a page of packs has as many ends as one of single records"


def test_an_end_that_was_packed_is_still_known_by_its_id(ends: RememberedEnds) -> None:
    ends.expire(60)
    asked = list(ALL)[::7]
    assert ends.of([*asked, "unknown"]) == {job: ALL[job] for job in asked}
    assert ends.of([]) == {}


@pytest.mark.parametrize("writes", range(WRITES + 1))
def test_a_node_that_dies_while_it_packs_them_leaves_the_whole_and_another_goes_on(
    tmp_path: Path, writes: int
) -> None:
    inner = SqliteStore(tmp_path / "store.db")
    RememberedEnds(inner).remember(ALL)
    dying = FaultyStore(inner, Faults(dies_after=writes))
    with pytest.raises(NodeDied):
        RememberedEnds(SettlingStore(dying)).expire(60)
    assert dying.writes == writes
    ends = RememberedEnds(inner)
    assert reported(ends) == ALL
    ends.expire(60)
    assert reported(ends) == ALL
    assert inner.count(ENDED) == 12 + 1
    inner.close()


def test_a_node_that_packs_after_another_has_packed_other_parts_doubles_none(
    store: Store, ends: RememberedEnds, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That one died before it said that all are packed."""
    dying = RememberedEnds(SettlingStore(FaultyStore(store, Faults(dies_after=3))))
    with monkeypatch.context() as other_parts:
        other_parts.setattr(finished_jobs, "PAGE", 3 * 17)
        other_parts.setattr(finished_jobs, "PACK", 17)
        with pytest.raises(NodeDied):
            dying.expire(60)
    assert store.count(ENDED) == len(ALL) + 3
    assert reported(ends) == ALL
    ends.expire(60)
    assert store.count(ENDED) == 3 + 12 + 1
    assert reported(ends) == ALL


class PackedMeanwhile:
    """Another packs them behind the first page that is read, and has removed some of it by then."""

    def __init__(self, store: Store, holes: slice) -> None:
        self._store = store
        self._holes = holes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> Sequence[Any]:
        found = self._store.scan(store_map, index_value, limit, after)
        if not after:
            RememberedEnds(self._store).expire(60)
            del found[self._holes]
        return found


def test_a_reader_while_they_are_packed_is_to_ask_again(store: Store, ends: RememberedEnds) -> None:
    packed: Any = PackedMeanwhile(store, slice(0, 0))
    meanwhile = RememberedEnds(packed)
    with pytest.raises(StoreError, match="packed while they were read"):
        reported(meanwhile)
    assert reported(ends) == ALL


def test_of_two_nodes_that_pack_at_a_time_neither_packs_what_the_other_has_begun_to_remove(
    store: Store, ends: RememberedEnds
) -> None:
    packed: Any = PackedMeanwhile(store, slice(3, 9))
    meanwhile = RememberedEnds(packed)
    meanwhile.expire(60)
    assert reported(ends) == ALL


def test_an_end_whose_answer_was_lost_counts_when_it_is_asked_again(tmp_path: Path) -> None:
    inner = SqliteStore(tmp_path / "store.db")
    JobStore(inner, "ann").put([NewJob("a", "host", JobPayload(Locator("a", "g", "u"), seed="a"))])
    faulty = FaultyStore(inner, Faults(moves=True))
    jobs = JobStore(SettlingStore(faulty), "ann")
    (job,) = jobs.take("host", 1)
    faulty.faults = Faults(moves=True, lost_answers=1.0)
    with pytest.raises(StoreError):
        jobs.finished.end([Ending(job.id, job.fence, JobState.DONE)])
    assert (inner.count(JOBS), inner.count(ENDED)) == (0, 1), "it has ended at once"
    faulty.faults = Faults(moves=True)
    assert jobs.finished.end([Ending(job.id, job.fence, JobState.DONE)]) == [True]
    assert jobs.finished.end([Ending(job.id, job.fence + 1, JobState.DONE)]) == [False]
    inner.close()
