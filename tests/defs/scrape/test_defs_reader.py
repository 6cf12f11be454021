"""Whole definitions: the language's own examples, travel, digests, speed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.model.scrape.definitions import Definitions
from tests.defs.written import DATA, PLACES, TASKS, Check, write

_WHERE = """
locatorGroups:
  cityGroup:
    locators:
      - { name: oslo, url: "/pages/weather/oslo.html" }
"""
_WHAT = """
taskGroups:
  cityGroup:
    tempTask: { dataDef: temps }
dataDefs:
  temps:
    query:
      { block: "table#forecast", selector: "tr:nth-child(%{item.index}) > td:nth-child(%{dim.day.index})" }
    items: [ item: { name: hour, indexRange: 2-5, selector: "tr:nth-child(%{index}) > td:nth-child(1)" } ]
    dims:  [ item: { name: day,  indexRange: 2-4, selector: "tr:nth-child(1) > td:nth-child(%{index})" } ]
"""
_LEAGUE = """
locatorGroups:
  league: { locators: [ { name: first, url: /pages/league.html } ] }
taskGroups:
  league:
    live: "P1W"
    table: { dataDef: league, steps: leagueSteps, persist: { data: false } }
    rounds:
      dataDef: nextRound
      steps: { jsoupDefault: { link: { class: "org.codetab.scoopi.step.process.LocatorCreator",
                                       previous: parser, next: seeder } } }
  roundGroup:
    table: { dataDef: league, steps: leagueSteps }
dataDefs:
  league:
    query: { block: "table", selector: "tr:nth-child(%{item.index}) > td:nth-child(%{dim.stat.index})" }
    items: [ item: { name: round, index: 2, selector: "tr:nth-child(%{index}) > td:nth-child(2)", breakAfter: [ "Relegation" ] } ]
    dims:  [ item: { name: stat, indexRange: 3-6, selector: "tr:nth-child(1) > td:nth-child(%{index})" } ]
  nextRound:
    query: { block: "nav.rounds" }
    items:
      - item: { name: nxt, selector: "a.next attribute: href", linkGroup: roundGroup,
                prefix: [ "/pages/league/" ], linkBreakOn: [ "/pages/league/round-38.html" ] }
steps:
  leagueSteps:
    jsoupDefault:
      kickoff:                       # new step, goes between filter and appender
        class: "org.codetab.scoopi.step.process.DataConverter"
        previous: filter
        next: appender
        plugins:
          - plugin: { name: d, class: "org.codetab.scoopi.plugin.converter.DateRoller",
                      item: round, inPattern: "dd MMM yyyy", outPattern: "yyyy-MM-dd", roll: "DAY_OF_MONTH=floor" }
"""  # noqa: E501


def test_the_split_example_of_the_language_is_accepted(check: Check) -> None:
    outcome = check({"places.yml": _WHERE, "what.yml": _WHAT})
    assert outcome.found == []
    temps = outcome.definitions.data_defs["temps"]
    assert [(each.name, each.first, each.last) for each in (*temps.items, *temps.dims, *temps.facts)] == [
        ("hour", 2, 5),
        ("day", 2, 4),
        ("fact", 1, 1),
    ]
    (locator,) = outcome.definitions.locator_groups["cityGroup"].locators
    assert (locator.name, locator.url) == ("oslo", "/pages/weather/oslo.html")


def test_the_other_examples_of_the_language_are_accepted(check: Check) -> None:
    outcome = check(_LEAGUE)
    assert outcome.found == []
    groups = outcome.definitions.task_groups
    assert [step.name for step in groups["league"].tasks[0].steps[3:]] == ["filter", "kickoff", "appender"]
    assert [step.class_name for step in groups["league"].tasks[1].steps[2:]] == [
        "CssParser",
        "LocatorCreator",
    ]
    kickoff = groups["league"].tasks[0].steps[4]
    assert (kickoff.class_name, kickoff.plugins[0].class_name) == ("DataConverter", "DateRoller")
    assert kickoff.plugins[0].fields == {
        "item": "round",
        "inPattern": "dd MMM yyyy",
        "outPattern": "yyyy-MM-dd",
        "roll": "DAY_OF_MONTH=floor",
    }
    club = outcome.definitions.data_defs["league"].items[0]
    assert (club.first, club.last, club.break_after) == (2, None, ("Relegation",))


def test_definitions_travel(check: Check) -> None:
    definitions = replace(check(_LEAGUE).definitions, locator_groups={})  # which travel packed
    packed = msgspec.msgpack.encode(definitions)
    assert msgspec.msgpack.decode(packed, type=Definitions) == definitions


def test_the_digest_is_of_what_is_said_not_where(check: Check) -> None:
    one = check({"a.yml": PLACES + TASKS + DATA}).definitions.digest
    split = check({"a.yml": "# moved\n" + DATA, "b/x.yml": TASKS, "c.yml": PLACES}).definitions.digest
    assert len(one) == 32
    assert split == one
    other = {"a.yml": PLACES + TASKS + DATA.replace("hour", "minute"), "b/x.yml": "", "c.yml": ""}
    assert check(other).definitions.digest != one


def test_the_order_of_tasks_counts_in_the_digest(check: Check) -> None:
    tasks = "taskGroups:\n  city: {{ {0}: {{ dataDef: temps }}, {1}: {{ dataDef: temps }} }}\n"
    digests = {
        check(PLACES + tasks.format(*names) + DATA).definitions.digest for names in (("a", "b"), ("b", "a"))
    }
    assert len(digests) == 2


def test_sixty_files_are_read_and_checked_quickly(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {}
    for number in range(60):
        text = (_WHERE + _WHAT).replace("cityGroup", f"group{number}").replace("temps", f"temps{number}")
        files[f"{number}.yml"] = text + "".join(f"# {'x' * 60}\n" for _ in range(8))
    write(tmp_path, files)
    best = min(_read_seconds(tmp_path) for _ in range(5))
    assert best < 0.15


def _read_seconds(folder: Path) -> float:
    start = time.process_time()
    _, report = read_definitions(folder)
    seconds = time.process_time() - start
    assert report.findings == ()
    return seconds


@pytest.mark.parametrize("module", ["yaml", "difflib", "hashlib", "lxml", "scoopi.plugins", "scoopi.configs"])
def test_knowing_the_room_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, scoopi.defs; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
