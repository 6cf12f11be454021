"""ExpectedRecords: outputs of records that are not as expected are held back."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.model.records import Expectation
from scoopi.publishing.publisher import Publisher, PublishTarget
from scoopi.store.jobs.job_store import JobStore
from tests.appenders.conftest import Take
from tests.publishing.record_frames import BOOKS, Committer, books, commit, expecting, spec

__all__ = ["commit"]
ENOUGH = Expectation("records", 2, text="2-")
PRICED = Expectation("price", 0.9, is_share=True, text="90 %")


@pytest.mark.parametrize(
    ("expectation", "reason"),
    [
        (Expectation("records", 4, text="4-"), "there are 3 records, expected: 4-"),
        (Expectation("records", 0, 2, text="-2"), "there are 3 records, expected: -2"),
        (PRICED, "price is filled in 2 of 3 records, expected: 90 %"),
    ],
)
def test_an_output_of_records_that_are_not_as_expected_is_held_back_with_the_reason(
    tmp_path: Path,
    node_folder: Path,
    jobs: JobStore,
    take: Take,
    commit: Committer,
    expectation: Expectation,
    reason: str,
) -> None:
    (job,) = take(1)
    commit(books(job, ["Rye", "1"], ["Oat", None], ["Bran", "3"]))
    schema = expecting(ENOUGH, expectation)
    publisher = Publisher(PublishTarget(tmp_path, node_folder), jobs, [spec("books.csv", schema)])

    publisher.publish(is_over=False)
    stopped = [path.name for path in tmp_path.glob("books*")]
    published = publisher.publish()

    assert published.unmet == (f"book: {reason}",)
    assert published.rows == {"books.csv.held": 3}
    assert (stopped, [path.name for path in tmp_path.glob("books*")]) == (["books.csv"], ["books.csv.held"])


def test_records_that_are_as_expected_are_published_under_their_name(
    tmp_path: Path, node_folder: Path, jobs: JobStore, take: Take, commit: Committer
) -> None:
    (job,) = take(1)
    commit(books(job, ["Rye", "1"], ["Oat", "2"]))
    (tmp_path / "books.csv.held").write_text("of an earlier look")

    published = Publisher(
        PublishTarget(tmp_path, node_folder), jobs, [spec("books.csv", expecting(ENOUGH, PRICED))]
    ).publish()

    assert published.unmet == ()
    assert [path.name for path in tmp_path.glob("books*")] == ["books.csv"]


def test_a_share_of_no_records_is_not_met(tmp_path: Path, node_folder: Path, jobs: JobStore) -> None:
    published = Publisher(
        PublishTarget(tmp_path, node_folder), jobs, [spec("books.csv", expecting(PRICED))]
    ).publish()

    assert len(published.unmet) == 1


def test_records_of_which_nothing_is_expected_are_never_held(
    tmp_path: Path, node_folder: Path, jobs: JobStore
) -> None:
    published = Publisher(PublishTarget(tmp_path, node_folder), jobs, [spec("books.csv", BOOKS)]).publish()

    assert (published.unmet, published.rows) == ((), {"books.csv": 0})
