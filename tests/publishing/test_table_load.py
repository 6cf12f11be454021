"""TableLoad and DeferredLoad: rows of segments reach the table once, whatever was loaded before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scoopi.errors import StoreError
from scoopi.model.handover import Part
from scoopi.model.job import Frame, JobState
from scoopi.model.records import packed_rows
from scoopi.outputs.databases.database import Database
from scoopi.outputs.databases.record_table import OffsetMove, RecordTable
from scoopi.outputs.target import parse_target
from scoopi.publishing import table_load
from scoopi.publishing.table_load import DeferredLoad, TableLoad, rows_of
from tests.publishing.record_frames import BOOKS, STREAM

MakeTable = Callable[..., RecordTable]


@pytest.fixture
def table_of(tmp_path: Path) -> Iterator[MakeTable]:
    """Opens the table of the run, over a connection of its own."""
    opened: list[RecordTable] = []

    def made(suffix: str = "") -> RecordTable:
        database = Database(parse_target("sqlite:books.db#books"), tmp_path)
        opened.append(RecordTable(database, "books", BOOKS, "run", suffix))
        return opened[-1]

    yield made
    for table in opened:
        table.close()


def frame(*titles: str, stream: str = STREAM) -> Frame:
    rows = [(title, "1") for title in titles]
    return Frame("job", 1, JobState.DONE, 1, (Part(stream, len(rows), packed_rows(rows)),))


def titles(table: RecordTable) -> list[str]:
    with table.database.transaction() as connection:
        return sorted(row.title for row in connection.execute(table.table.select()))


def test_only_records_of_its_streams_are_loaded(table_of: MakeTable) -> None:
    load = TableLoad(table_of(), [STREAM])
    load.begin("a")
    load.add(frame("Rye"), 10)
    load.add(frame("Oat", stream="other"), 20)
    load.flush()
    assert titles(load.table) == ["Rye"]
    assert rows_of(frame("Rye", "Bran"), [STREAM]) == [["Rye", "1"], ["Bran", "1"]]
    assert rows_of(frame("Rye"), ["other"]) == []


def test_nothing_is_in_the_table_before_it_is_flushed(table_of: MakeTable) -> None:
    load = TableLoad(table_of(), [STREAM])
    load.begin("a")
    load.add(frame("Rye"), 10)
    assert titles(load.table) == []
    load.flush()
    load.flush()
    assert titles(load.table) == ["Rye"]


def test_a_batch_that_is_full_is_committed_at_once(
    table_of: MakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_load, "BATCH_ROWS", 3)
    load = TableLoad(table_of(), [STREAM])
    load.begin("a")
    seen = []
    for number in range(4):
        load.add(frame(f"{number}"), 10 * (number + 1))
        seen.append(len(titles(load.table)))
    assert seen == [0, 0, 3, 3]
    load.flush()
    assert titles(load.table) == ["0", "1", "2", "3"]
    assert load.table.position("a") == 40


def test_frames_up_to_the_offset_are_not_loaded_again(table_of: MakeTable) -> None:
    first = TableLoad(table_of(), [STREAM])
    assert first.begin("a") == 0
    first.add(frame("Rye"), 10)
    first.flush()

    later = TableLoad(table_of(), [STREAM])
    assert later.begin("a") == 10
    later.add(frame("Rye"), 10)
    later.add(frame("Oat"), 11)
    later.flush()
    assert titles(later.table) == ["Oat", "Rye"]


def test_each_segment_has_its_own_offset(table_of: MakeTable) -> None:
    load = TableLoad(table_of(), [STREAM])
    for segment, title, end in (("a", "Rye", 30), ("b", "Oat", 20), ("a", "Bran", 40)):
        load.begin(segment)
        load.add(frame(title), end)
        load.flush()
    assert titles(load.table) == ["Bran", "Oat", "Rye"]
    assert [load.table.position(segment) for segment in "ab"] == [40, 20]


def test_rows_that_were_not_flushed_before_another_segment_began_are_not_loaded(table_of: MakeTable) -> None:
    load = TableLoad(table_of(), [STREAM])
    load.begin("a")
    load.add(frame("Rye"), 10)
    load.begin("b")
    load.flush()
    assert titles(load.table) == []
    assert load.begin("a") == 0


def test_a_second_process_that_loads_the_same_segment_is_a_passing_error(table_of: MakeTable) -> None:
    ours, theirs = TableLoad(table_of(), [STREAM]), TableLoad(table_of(), [STREAM])
    for load in (ours, theirs):
        load.begin("a")
        load.add(frame("Rye"), 10)
    theirs.flush()
    with pytest.raises(StoreError, match="another process writes rows of the same segment"):
        ours.flush()
    ours.flush()  # once it reads the offset, it finds that nothing is left to do
    assert titles(ours.table) == ["Rye"]


def test_of_a_commit_whose_answer_was_lost_only_the_frames_after_it_are_loaded(
    table_of: MakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = TableLoad(table_of(), [STREAM])
    load.begin("a")
    load.add(frame("Rye"), 10)
    write = load.table.write

    def lossy(*given: Any) -> None:
        write(*given)
        raise StoreError("the connection was lost")

    with monkeypatch.context() as patched:
        patched.setattr(load.table, "write", lossy)
        with pytest.raises(StoreError):
            load.flush()
    load.add(frame("Oat"), 20)
    load.flush()
    assert titles(load.table) == ["Oat", "Rye"]
    assert load.table.position("a") == 20


@pytest.fixture
def deferred(table_of: MakeTable, tmp_path: Path) -> Iterator[Callable[[], DeferredLoad]]:
    """A load at the end of the run, as each attempt to publish makes one."""
    made: list[DeferredLoad] = []

    def load() -> DeferredLoad:
        made.append(DeferredLoad(table_of(), table_of(".held"), [STREAM], tmp_path / "spool"))
        return made[-1]

    yield load
    for each in made:
        each.close()


def collect(load: DeferredLoad) -> DeferredLoad:
    """Collect the frames of two segments."""
    for segment in "ab":
        load.begin(segment)
        load.add(frame(f"{segment}1"), 10)
        load.add(frame(f"{segment}2", stream="other"), 20)
        load.flush()
    return load


@pytest.mark.parametrize("is_held", [False, True])
def test_the_rows_of_all_segments_are_loaded_into_the_one_table_or_the_other(
    deferred: Callable[[], DeferredLoad], is_held: bool
) -> None:
    load = collect(deferred())
    assert titles(load.table_of(is_held=False)) == []
    load.load(is_held)
    assert titles(load.table_of(is_held)) == ["a1", "b1"]
    assert load.table_of(is_held).loaded() == (2, 0)
    assert [load.table_of(is_held).position(segment) for segment in "ab"] == [20, 20]


def test_an_attempt_that_follows_a_commit_loads_nothing_twice(deferred: Callable[[], DeferredLoad]) -> None:
    first = collect(deferred())
    first.load(is_held=False)
    first.load(is_held=False)  # its answer was lost, so it is repeated
    collect(deferred()).load(is_held=False)
    assert titles(first.table_of(is_held=False)) == ["a1", "b1"]


def test_large_loads_are_read_back_in_batches(
    deferred: Callable[[], DeferredLoad], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_load, "BATCH_ROWS", 2)
    load = deferred()
    load.begin("a")
    for number in range(5):
        load.add(frame(f"{number}"), number + 1)
    sizes: list[int] = []
    write = RecordTable.write

    def watched(
        table: RecordTable, moves: list[OffsetMove], batches: Iterator[Any], replace: bool = False
    ) -> None:
        read = [*batches]
        sizes.extend(map(len, read))
        write(table, moves, read, replace)

    monkeypatch.setattr(RecordTable, "write", watched)
    load.load(is_held=False)
    assert sizes == [2, 2, 1]
    assert titles(load.table_of(is_held=False)) == ["0", "1", "2", "3", "4"]


def test_another_process_that_loads_the_same_rows_is_a_passing_error(
    deferred: Callable[[], DeferredLoad], monkeypatch: pytest.MonkeyPatch
) -> None:
    load, other = collect(deferred()), collect(deferred())
    write = load.table_of(is_held=False).write

    def late(*given: Any, **more: Any) -> None:
        other.load(is_held=False)
        write(*given, **more)

    monkeypatch.setattr(load.table_of(is_held=False), "write", late)
    with pytest.raises(StoreError, match="another process loads the same rows"):
        load.load(is_held=False)
    assert titles(load.table_of(is_held=False)) == ["a1", "b1"]


def test_the_file_of_collected_rows_is_removed(deferred: Callable[[], DeferredLoad], tmp_path: Path) -> None:
    load = collect(deferred())
    assert (tmp_path / "spool").exists()
    load.close()
    assert not (tmp_path / "spool").exists()
