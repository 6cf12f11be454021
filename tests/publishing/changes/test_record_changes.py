"""RecordChanges and what it is compared with, over runs of random records beside a plain model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from scoopi.model.failure import Failure
from scoopi.model.handover import Part
from scoopi.model.job import Frame, JobState, retry_id, seed_id
from scoopi.model.records import Column, packed_rows, read_records
from scoopi.model.report.run_counts import ChangeCounts
from scoopi.outputs.output_spec import OutputSpec, changes_of
from scoopi.outputs.target import parse_target
from scoopi.publishing.changes.change_history import ChangeHistory
from scoopi.publishing.record_file import KeyFilter
from tests.publishing.record_frames import KEYED, STREAM

SPEC = OutputSpec(
    "books.csv", "books.csv", target=parse_target("books.csv"), schema=KEYED, streams=(STREAM,), changes=True
)
PAGES = 3
Page = Mapping[str, str] | int
"""Prices by title; or the status of a page that fails (0: without an answer)."""


def job(number: int) -> str:
    return seed_id("list", "list", f"/{number}")


def frame(number: int, page: Page) -> Frame:
    """What the job of a page leaves behind."""
    if isinstance(page, int):
        failure = Failure("fails", "fails", status=page)
        return Frame(job(number), 1, JobState.FAILED, 0, (), (failure,))
    rows = [(title, price) for title, price in page.items()]
    return Frame(job(number), 1, JobState.DONE, 1, (Part(STREAM, len(rows), packed_rows(rows)),))


def publish(
    output: Path, name: str, *frames: Frame, superseded: frozenset[str] = frozenset(), held: bool = False
) -> tuple[dict[str, tuple[str, str]], ChangeCounts]:
    """Change and price by title, as an output of the run of that name has them; and their numbers."""
    hidden = output / name / ".scoopi"
    hidden.mkdir(parents=True, exist_ok=True)
    found: list[list[Any]] = []
    with ChangeHistory(hidden, "/defs").compared([SPEC, SPEC], hidden) as changes:
        for each in frames:
            made = changes.of(each, is_superseded=each.job in superseded)
            found += records(*made.parts)
        found += records(*changes.gone({each.job for each in frames}.__contains__))
        counts = changes.counted()[STREAM]
        changes.keep((STREAM,) if held else ())
    assert [path.name for path in hidden.iterdir() if path.suffix == ".tmp"] == []
    kept = KeyFilter(KEYED).kept(found)  # as an output drops what it has
    return {title: (change, price) for title, price, change in kept}, counts


def records(*parts: Part) -> list[list[Any]]:
    rows = [row for part in parts if part.output == changes_of(STREAM) for row in read_records(part.body)]
    assert len(rows) == sum(part.rows for part in parts if part.output == changes_of(STREAM))
    return rows


class Model:
    """What a reader of all runs knows: price and page of each title."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[str, int]] = {}

    def run(self, pages: list[Page]) -> dict[str, tuple[str, str]]:
        """The expected changes."""
        read: dict[str, tuple[str, int]] = {}
        for number, page in enumerate(pages):
            for title, price in page.items() if not isinstance(page, int) else ():
                read.setdefault(title, (price, number))
        changes = {}
        for title, (price, _) in read.items():
            if title not in self.known:
                changes[title] = ("new", price)
            elif self.known[title][0] != price:
                changes[title] = ("changed", price)
        for title, (price, number) in self.known.items():
            page = pages[number]
            if title not in read and (not isinstance(page, int) or page in (404, 410)):
                changes[title] = ("gone", price)
            elif title not in read:
                read[title] = (price, number)
        self.known = read
        return changes


PRICES = st.sampled_from(["1", "2.50", "3"])
PAGE = st.one_of(
    st.dictionaries(st.sampled_from("abcdef"), PRICES, max_size=4), st.sampled_from([404, 410, 500, 0])
)


@given(st.lists(st.lists(PAGE, min_size=PAGES, max_size=PAGES), min_size=1, max_size=5))
def test_a_run_has_what_differs_from_all_that_was_known_before(runs: list[list[Page]]) -> None:
    model = Model()
    with TemporaryDirectory() as folder:
        for number, pages in enumerate(runs):
            frames = [frame(place, page) for place, page in enumerate(pages)]
            found, counts = publish(Path(folder), f"run-{number}", *frames)
            assert found == model.run(pages)
            kinds = [change for change, _ in found.values()]
            assert (counts.new, counts.changed, counts.gone) == tuple(
                map(kinds.count, ("new", "changed", "gone"))
            )
            assert counts.unchanged + counts.unknown == len(model.known) - counts.new - counts.changed


def test_a_run_is_compared_with_the_same_one_however_often_it_is_published(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1"}))
    second = publish(tmp_path, "two", frame(0, {"Rye": "2"}))
    publish(tmp_path, "three", frame(0, {"Rye": "3"}))
    assert publish(tmp_path, "two", frame(0, {"Rye": "2"})) == second
    assert publish(tmp_path, "four", frame(0, {"Rye": "3"}))[0] == {}  # compared with three, as it ended last


def test_numbers_are_compared_by_their_value(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "4.20"}))
    assert publish(tmp_path, "two", frame(0, {"Rye": "4.2"}))[1] == ChangeCounts(unchanged=1)


def test_of_equal_keys_the_first_record_counts(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1", "Oat": "1"}))
    found, counts = publish(tmp_path, "two", frame(0, {"Rye": "1"}), frame(1, {"Rye": "9", "Oat": "1"}))
    assert (found, counts) == ({}, ChangeCounts(unchanged=2))


def test_a_record_without_its_key_is_always_new(tmp_path: Path) -> None:
    nameless = Frame(job(0), 1, JobState.DONE, 1, (Part(STREAM, 1, packed_rows([(None, "1")])),))
    for run in ("one", "two"):
        assert publish(tmp_path, run, nameless)[1] == ChangeCounts(new=1)


def test_records_of_pages_that_were_not_reached_are_gone_only_if_no_page_failed(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1"}), frame(1, {"Oat": "1"}))
    assert publish(tmp_path, "two", frame(0, 500))[1] == ChangeCounts(unknown=2)
    assert publish(tmp_path, "three", frame(0, {"Rye": "1"}))[0] == {"Oat": ("gone", "1")}


def test_a_page_that_failed_again_when_it_was_retried_may_still_have_its_records(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1"}), frame(1, {"Oat": "1"}))
    failed = frame(0, 500)
    again = Frame(retry_id(job(0)), 1, JobState.FAILED, 0, (), failed.failures)
    found, counts = publish(tmp_path, "two", failed, again, frame(1, {}), superseded=frozenset({job(0)}))
    assert (found, counts) == ({"Oat": ("gone", "1")}, ChangeCounts(gone=1, unknown=1))
    read = Frame(retry_id(job(0)), 1, JobState.DONE, 1, frame(0, {"Rye": "1"}).parts)
    found, counts = publish(tmp_path, "two", failed, read, frame(1, {}), superseded=frozenset({job(0)}))
    assert (found, counts) == ({"Oat": ("gone", "1")}, ChangeCounts(gone=1, unchanged=1))


def test_what_was_held_back_is_compared_again_with_the_run_before(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1"}))
    publish(tmp_path, "two", frame(0, {}), held=True)
    assert publish(tmp_path, "three", frame(0, {"Rye": "2"}))[0] == {"Rye": ("changed", "2")}


def test_a_new_field_changes_each_record_and_gone_ones_have_none(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1", "Oat": "1"}))
    wider = replace(KEYED, columns=(*KEYED.columns, Column("isbn")))
    hidden = tmp_path / "two" / ".scoopi"
    hidden.mkdir(parents=True)
    part = Part(STREAM, 1, packed_rows([("Rye", "1", "978")]))
    with ChangeHistory(hidden, "/defs").compared([replace(SPEC, schema=wider)], hidden) as changes:
        made = changes.of(Frame(job(0), 1, JobState.DONE, 1, (part,)))
        found = records(*made.parts, *changes.gone(lambda _: True))
    assert json.dumps(found) == '[["Rye", "1", "978", "changed"], ["Oat", "1", null, "gone"]]'
