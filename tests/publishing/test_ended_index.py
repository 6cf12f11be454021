"""EndedIndex: which frames count, known from few bytes a job."""

from __future__ import annotations

import random

from scoopi.publishing.ended_index import EndedIndex

NODE, OTHER = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"


def index_of(jobs: list[str]) -> EndedIndex:
    index = EndedIndex()
    for number, job in enumerate(jobs, start=1):
        index.add(job, NODE, number)
    return index


def test_a_frame_counts_once_and_only_with_the_take_that_ended_its_job() -> None:
    index = EndedIndex()
    index.add(f"{1:032x}", NODE, 3)
    index.add(f"{2:032x}", OTHER, 1)
    assert not index.match(f"{1:032x}", NODE, 2)
    assert not index.match(f"{1:032x}", OTHER, 3)
    assert index.match(f"{1:032x}", NODE, 3)
    assert not index.match(f"{1:032x}", NODE, 3)
    assert not index.match(f"{3:032x}", NODE, 1)
    assert not index.match(f"{2:032x}", "cccccccccccccccc", 1)
    assert [*index.unmatched()] == [f"{2:032x}"]


def test_of_very_many_jobs_each_is_found() -> None:
    source = random.Random(5)
    jobs = sorted(f"{source.getrandbits(128):032x}" for _ in range(20_000))
    index = index_of(jobs)
    fences = {job: number for number, job in enumerate(jobs, start=1)}
    met = source.sample(jobs, 15_000)
    assert all(index.match(job, NODE, fences[job]) for job in met)
    assert not any(index.match(job, NODE, fences[job]) for job in met)
    assert [*index.unmatched()] == sorted({*jobs} - {*met})


def test_bytes_of_two_jobs_are_not_taken_for_a_third() -> None:
    jobs = ["00" * 15 + "11", "00" * 15 + "22"]
    index = index_of(jobs)
    straddling = "".join(jobs)[2:34]
    assert straddling.startswith("0000")  # of the same bucket, so that it is looked for among them
    assert not index.match(straddling, NODE, 1)
    assert index.match(jobs[1], NODE, 2)


def test_an_index_of_nothing_knows_no_frame() -> None:
    index = EndedIndex()
    assert not index.match("ff" * 16, NODE, 1)
    assert [*index.unmatched()] == []
