"""Which entries of a grid get the time of what is read; that the rows are the same, test_plain_reader has."""

from __future__ import annotations

from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.report.counter_names import BLOCK, AxisKey
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.timing.stopwatch import Stopwatch
from scoopi.parse.timing.timed_grid import timed_reader
from scoopi.parse.tree.page import parse_html

FACT = (ItemDef("fact"),)


def entries_of(data_def: DataDef, page: bytes) -> tuple[list[tuple[str | None, ...]], dict[AxisKey, float]]:
    watch = Stopwatch()
    reader = timed_reader(data_def, CssEngine(), GridSettings(), watch)
    rows = reader.read(parse_html(page).getroot(), lambda text, _: text.upper(), print).items
    return [row.values for row in rows], watch.take()


def test_a_table_gives_times_of_its_block_and_each_of_its_axes() -> None:
    row, column = "tr:nth-child(%{index}) > td:nth-child(1)", "tr:nth-child(1) > td:nth-child(%{index})"
    cell = "tr:nth-child(%{item.index}) > td:nth-child(%{dim.size.index})"
    items = (ItemDef("loaf", selector=row, first=2, last=3),)
    dims = (ItemDef("size", selector=column, first=2, last=3),)
    data_def = DataDef("prices", "table", cell, items, dims, FACT)
    page = b"<table><tr><td><td>S<td>L<tr><td>rye<td>1<td>2<tr><td>oat<td>3<td>4</table>"
    rows, times = entries_of(data_def, page)
    assert rows == [("rye", "S", "1"), ("rye", "L", "2"), ("oat", "S", "3"), ("oat", "L", "4")]
    assert set(times) == {BLOCK, ("item", "loaf"), ("dim", "size"), ("fact", "fact")}
    assert min(times.values()) > 0


def test_labels_that_are_found_in_one_walk_share_its_time_equally() -> None:
    items = tuple(ItemDef(name, selector=f".{name}") for name in ("a", "b", "c"))
    data_def = DataDef("labels", "body", None, items, (), (ItemDef("fact", value="x"),))
    rows, times = entries_of(data_def, b"<p class=a>1<p class=b>2<p class=c>3")
    assert [row[0] for row in rows] == ["1", "2", "3"]
    shares = [times["item", name] for name in ("b", "c")]
    assert shares[0] == shares[1] > 0
    assert times["item", "a"] >= shares[0]  # it has asked for the walk


def test_a_script_counts_for_its_entry() -> None:
    items = (ItemDef("name", script="x"),)
    rows, times = entries_of(DataDef("s", "body", None, items, (), (ItemDef("fact", value="y"),)), b"<p>")
    assert rows == [("X", "y")]
    assert times["item", "name"] > 0
