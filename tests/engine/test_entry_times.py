"""With `-v`, the entries of definitions that take the most time are named, with their lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scoopi.engine.entry_times import EntryTimes, added
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.report.counter_names import EACH, ENTRY_TIMES, FIELD, PAGES, TIMED, count_name
from scoopi.model.report.run_counts import EntryTime
from scoopi.model.scrape.definitions import Definitions
from tests.engine.workspace import Workspace
from tests.parse.record_page import record_def

DEFINITIONS = """\
locatorGroups:
  books: { locators: [ { name: one, url: "PAGE" } ] }
taskGroups:
  books:
    grid: { dataDef: grid }
    list: { dataDef: list }
dataDefs:
  grid:
    query: { block: "ul", selector: "li:nth-child(%{item.index}) > i" }
    items: [ item: { name: title, indexRange: 1-3, selector: "li:nth-child(%{index}) > b" } ]
  list:
    each: "li"
    fields: { title: "b", price: { select: "i", type: decimal } }
"""
PAGE = "<ul>" + "".join(f"<li><b>book {at}</b><i>{at}.5</i></li>" for at in range(1, 4)) + "</ul>"
LINES = {
    "grid: block": 9,
    "grid: item title": 10,
    "grid: fact fact": 9,
    "list: each": 12,
    "list: field title": 13,
    "list: field price": 13,
}


def figures(workspace: Workspace) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((workspace.run_folder() / "run.json").read_text())["slowest"]
    return found


@pytest.mark.parametrize("workers", [0, 1])
def test_a_verbose_run_names_the_slowest_entries_with_their_lines(workspace: Workspace, workers: int) -> None:
    (workspace.folder / "page.html").write_text(PAGE)
    (workspace.folder / "books.yml").write_text(
        DEFINITIONS.replace("PAGE", str(workspace.folder / "page.html"))
    )
    ended = workspace.scoopi("run", "books.yml", "--workers", workers, "-v")
    slowest = figures(workspace)
    assert len(slowest) == 5
    seconds = [each["seconds"] for each in slowest]
    assert seconds == sorted(seconds, reverse=True)
    for each in slowest:
        name = f"{each['data_def']}: {each['entry']}"
        assert each["at"].startswith(f"books.yml:{LINES[name]}:")
        assert f"{name} ({each['at']})" in ended.err.partition("slowest")[2]


def test_without_v_no_time_of_entries_is_taken(workspace: Workspace) -> None:
    (workspace.folder / "page.html").write_text(PAGE)
    (workspace.folder / "books.yml").write_text(
        DEFINITIONS.replace("PAGE", str(workspace.folder / "page.html"))
    )
    assert "slowest" not in workspace.scoopi("run", "books.yml", "--workers", 0).err
    assert figures(workspace) == []


def test_times_of_some_pages_are_extended_to_all_of_them() -> None:
    counts = NodeCounts()
    counts.add_all(
        {
            count_name(PAGES, "d"): 40,
            count_name(TIMED, "d"): 4,
            count_name(ENTRY_TIMES, "d", (FIELD, "price")): 0.5,
            count_name(ENTRY_TIMES, "d", EACH): 0.25,
        },
        "finds.",
    )
    definition = record_def({"price": "b"}, each="li")
    times = EntryTimes(Definitions({}, {}, {}, record_defs={"d": definition}), counts).slowest()
    assert [(each.data_def, each.entry, each.seconds) for each in times] == [
        ("d", "field price", 5.0),
        ("d", "each", 2.5),
    ]
    assert [each.at for each in times] == [
        str(definition.fields[0].read_at),
        str(definition.each and definition.each.place),
    ]


def test_a_resumed_run_adds_up_the_times_of_its_parts() -> None:
    before = [EntryTime("d", "field price", 1.0, "d.yml:1"), EntryTime("d", "each", 2.0, "d.yml:2")]
    now = [EntryTime("d", "field price", 1.5, "d.yml:1")]
    assert added(before, now) == (
        EntryTime("d", "field price", 2.5, "d.yml:1"),
        EntryTime("d", "each", 2.0, "d.yml:2"),
    )
    assert added([EntryTime("d", f"field f{at}", at) for at in range(9)])[-1].entry == "field f4"
