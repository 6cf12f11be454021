"""RowTally: each frame that counts is counted once, and its rows reach each file that they are for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.model.failure import Failure
from scoopi.model.handover import Part
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.model.report.run_counts import Retried, Retries
from scoopi.outputs.output_spec import OutputSpec
from scoopi.plugins.plugin_ports import LIST_PREFIX
from scoopi.publishing.expectations.expected_records import Found
from scoopi.publishing.output_file import OutputFile
from scoopi.publishing.published_files import PublishedFiles
from scoopi.publishing.row_tables import Loaded
from scoopi.publishing.row_tally import MOST_NAMED, RetryTally, RowTally

ONE = OutputSpec("one", "one.csv", header=b"head\n")
ALSO_ONE = OutputSpec("one", "copy.csv")
TWO = OutputSpec("two", "two.csv", optional=True)
WARNING = Failure("short", "the page is short")
ERROR = Failure("status 500", "the site answered 500")
RULE = Failure("robots.txt", "robots.txt disallows the page")


@pytest.fixture
def files(tmp_path: Path) -> Iterator[list[OutputFile]]:
    opened = [OutputFile(spec, tmp_path, tmp_path) for spec in (ONE, ALSO_ONE, TWO)]
    yield opened
    for file in opened:
        file.discard()


@pytest.fixture
def tally(files: list[OutputFile]) -> RowTally:
    return RowTally(files, (ONE, ALSO_ONE, TWO), PublishedFiles((), Path()))


def frame_of(*parts: Part, pages: int = 1) -> Frame:
    return Frame("job", 1, JobState.DONE, pages, parts)


def test_rows_reach_every_file_of_their_output_and_no_other(
    tally: RowTally, files: list[OutputFile], tmp_path: Path
) -> None:
    tally.add(frame_of(Part("one", 2, b"a\nb\n"), Part("unknown", 5, b"?")))
    tally.add(frame_of(Part("one", 1, b"c\n")))
    assert tally.published(()).rows == {"one.csv": 3, "copy.csv": 3}
    for file in files:
        file.finish()
        file.publish()
    assert (tmp_path / "one.csv").read_bytes() == b"head\na\nb\nc\n"
    assert (tmp_path / "copy.csv").read_bytes() == b"a\nb\nc\n"
    assert not (tmp_path / "two.csv").exists()


def test_an_optional_file_is_counted_once_it_has_rows(tally: RowTally) -> None:
    tally.add(frame_of(Part("two", 1, b"x\n")))
    assert tally.published(()).rows == {"one.csv": 0, "copy.csv": 0, "two.csv": 1}


def test_each_job_is_done_failed_or_skipped_and_its_pages_add_up(tally: RowTally) -> None:
    tally.add(frame_of())
    tally.add(frame_of(pages=0))
    tally.add(Frame("failed", 1, JobState.FAILED, 1, (), failures=(ERROR, ERROR)))
    tally.add(Frame("skipped", 1, JobState.SKIPPED, 0, (), skipped=RULE))
    found = tally.published(())
    assert (found.done, found.failed, found.skipped, found.pages) == (2, 1, 1, 2)
    assert [(cause.cause, cause.count) for cause in found.errors] == [("status 500", 2)]
    assert [(cause.cause, cause.count) for cause in found.skips] == [("robots.txt", 1)]


def test_a_warned_job_is_counted_once_however_many_warnings_it_has(tally: RowTally) -> None:
    tally.add(Frame("a", 1, JobState.DONE, 1, (), warnings=(WARNING, WARNING)))
    tally.add(frame_of())
    found = tally.published(())
    assert (found.done, found.warned) == (2, 1)
    assert [(cause.cause, cause.count) for cause in found.warnings] == [("short", 2)]


def test_a_failed_job_whose_tasks_ran_again_counts_with_its_rows_and_pages_only(tally: RowTally) -> None:
    frame = Frame("a", 1, JobState.FAILED, 1, (Part("one", 1, b"a\n"),), (ERROR,), (WARNING,))
    tally.add(frame, is_superseded=True)
    tally.add(frame_of(Part("one", 1, b"b\n")))
    found = tally.published(())
    assert (found.done, found.failed, found.warned, found.errors) == (1, 0, 0, ())
    assert (found.rows["one.csv"], found.pages) == (2, 2)
    assert len(found.warnings) == 1


def test_rows_of_list_appenders_are_kept_in_order_under_their_own_name(tally: RowTally) -> None:
    tally.add(frame_of(Part(LIST_PREFIX + "mine", 1, b"1"), Part("one", 1, b"a\n")))
    tally.add(frame_of(Part(LIST_PREFIX + "mine", 1, b"2"), Part(LIST_PREFIX + "other", 1, b"3")))
    found = tally.published(())
    assert found.lists == {"mine": [b"1", b"2"], "other": [b"3"]}
    assert found.rows["one.csv"] == 1, "a list does not hide the part behind it"


def test_tables_are_counted_beside_files_and_only_outputs_that_dropped_records_are_named(
    tally: RowTally, files: list[OutputFile]
) -> None:
    files[0].dropped = 2
    tally.loaded = {"table": Loaded(7, 3), "whole": Loaded(1, 0)}
    found = tally.published(("lost",))
    assert (found.rows["table"], found.rows["whole"]) == (7, 1)
    assert found.dropped == {"one.csv": 2, "table": 3}
    assert found.missing == ("lost",)


def test_nodes_are_not_asked_where_nothing_is_expected(tally: RowTally) -> None:
    asked: list[Found] = []

    def of_all(found: Found) -> Found:
        asked.append(found)
        return found

    tally.add(frame_of(Part("one", 1, b"a\n")))
    tally.judge(of_all)
    assert not asked
    assert not tally.is_held(ONE)
    assert tally.published(()).unmet == ()


def frame(name: str, *tried: str) -> Frame:
    payload = JobPayload(Locator(name, "group", f"http://me:secret@x/{name}"), name) if tried else None
    return Frame(name, 1, JobState.DONE, 1, (), payload=payload, tried=tried)


def test_attempts_are_counted_by_reason_and_the_pages_with_most_are_named() -> None:
    tally = RetryTally()
    for each in (frame("a"), frame("b", "timeout"), frame("c", "status 503", "timeout", "timeout")):
        tally.add(each)
    assert tally.counted() == Retries(
        jobs=2,
        retries=4,
        reasons={"timeout": 3, "status 503": 1},
        most=(Retried("c:group", "http://me:***@x/c", 4), Retried("b:group", "http://me:***@x/b", 2)),
    )


def test_of_very_many_pages_those_with_the_most_attempts_are_named() -> None:
    tally = RetryTally()
    for number in range(3 * MOST_NAMED):
        tally.add(frame(f"p{number:03}", *["reset"] * (1 + number % 3)))
    counted = tally.counted()
    assert counted.jobs == 3 * MOST_NAMED
    assert len(counted.most) == MOST_NAMED
    assert {page.attempts for page in counted.most} == {4}


def test_a_run_without_retries_has_no_figures() -> None:
    assert RetryTally().counted() == Retries()
