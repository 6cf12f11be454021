"""Mappings and lists whose end has not been read yet."""

from __future__ import annotations

import pytest

from scoopi.defs.yaml.findings import Findings, Severity
from scoopi.defs.yaml.node import Listing, Node, Table, Text, plain
from scoopi.defs.yaml.open_blocks import NoteFindings, OpenListing, OpenTable
from scoopi.model.place import Place

TOP = Place("a.yml", 1, 1)


def text(value: str, line: int = 2) -> Text:
    return Text(value, Place("a.yml", line, 1))


class Open:
    """A mapping that is being read, and what was found in it."""

    def __init__(self) -> None:
        self._notes: list[NoteFindings] = []
        self.table = OpenTable(TOP, None, None, self._notes)

    def add(self, key: Node, value: Node, merges: bool = False) -> None:
        self.table.add(key, 1, 1, merges)
        self.table.add(value, 2, 3, merges=False)

    def ended(self) -> Table:
        self.table.end()
        return self.table.node

    def found(self) -> list[tuple[Severity, int, str]]:
        findings = Findings()
        for note in self._notes:
            note(findings)
        return [(each.severity, each.place.line, each.what) for each in findings.sorted()]


@pytest.fixture
def opened() -> Open:
    return Open()


def table(**entries: str) -> Table:
    return Table({key: text(value) for key, value in entries.items()}, dict.fromkeys(entries, TOP), TOP)


def test_keys_and_values_come_in_turn(opened: Open) -> None:
    opened.add(text("a"), text("1"))
    opened.add(text("b", 5), text("2"))
    assert plain(opened.ended()) == {"a": "1", "b": "2"}
    assert opened.table.node.keys["b"].line == 5
    assert (opened.table.size, opened.table.depth) == (4, 3)
    assert opened.found() == []


@pytest.mark.parametrize(
    ("second", "severity", "what"),
    [("1", Severity.WARNING, "with the same value"), ("2", Severity.ERROR, "with different values")],
)
def test_a_key_that_is_written_twice_is_found_and_the_first_counts(
    opened: Open, second: str, severity: Severity, what: str
) -> None:
    opened.add(text("a", 2), text("1"))
    opened.add(text("a", 3), text(second))
    assert plain(opened.ended()) == {"a": "1"}
    assert opened.found() == [(severity, 3, f"a is written twice, {what}")]


@pytest.mark.parametrize("key", [text("  "), table(a="1")])
def test_a_key_is_a_name(opened: Open, key: Node) -> None:
    opened.add(key, text("1"))
    assert plain(opened.ended()) == {}
    assert [what for *_, what in opened.found()] == ["a name is needed before the colon"]


def test_entries_of_a_merge_key_come_behind_the_own_ones_and_do_not_replace_them(opened: Open) -> None:
    opened.add(text("<<"), table(a="merged", c="3"), merges=True)
    opened.add(text("a"), text("own"))
    assert plain(opened.ended()) == {"a": "own", "c": "3"}
    assert opened.found() == []


def test_a_merge_key_takes_several_mappings_of_which_the_first_counts(opened: Open) -> None:
    opened.add(text("<<"), Listing([table(a="1"), table(a="2", b="3")], TOP), merges=True)
    assert plain(opened.ended()) == {"a": "1", "b": "3"}


def test_a_merge_key_takes_mappings_only(opened: Open) -> None:
    opened.add(text("<<"), Listing([table(a="1"), text("x")], TOP), merges=True)
    assert plain(opened.ended()) == {"a": "1"}
    assert [what for *_, what in opened.found()] == ["a merge key takes mappings only"]


def test_a_list_takes_its_entries_in_order() -> None:
    opened = OpenListing(TOP, None, None)
    opened.add(text("a"), 2, 1, merges=False)
    opened.add(text("b"), 3, 4, merges=False)
    opened.end()
    assert plain(opened.node) == ["a", "b"]
    assert (opened.size, opened.depth) == (5, 4)
