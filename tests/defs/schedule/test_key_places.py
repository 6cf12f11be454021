"""KeyPlaces: a finding about a whole project stands at the value that causes it."""

from __future__ import annotations

import pytest

from scoopi.defs.schedule.key_places import KeyPlaces
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table
from scoopi.defs.yaml.yaml_file import YamlFile

TEXT = """\
books:
  executes: python:a:b
  inputs: {day: "x", empty: }
  depends_on: [one, {process: two}]
"""


@pytest.mark.parametrize(
    ("names", "line", "column", "path"),
    [
        ((), 1, 1, "processes.books"),
        (("executes",), 2, 13, "processes.books.executes"),
        (("executes", "python"), 2, 13, "processes.books.executes"),
        (("inputs", "day"), 3, 17, "processes.books.inputs.day"),
        (("inputs", "empty"), 3, 22, "processes.books.inputs.empty"),
        (("inputs", "absent"), 3, 11, "processes.books.inputs"),
        (("depends_on", 0, "process"), 4, 16, "processes.books.depends_on[0]"),
        (("depends_on", 1, "process"), 4, 31, "processes.books.depends_on[1].process"),
        (("depends_on", 2), 4, 15, "processes.books.depends_on"),
        (("trigger", "every"), 1, 1, "processes.books"),
    ],
)
def test_the_deepest_name_that_is_written_has_the_place(
    names: tuple[str | int, ...], line: int, column: int, path: str
) -> None:
    table = YamlFile(TEXT, "shop.yml", Findings()).read()
    assert isinstance(table, Table)
    places = KeyPlaces()
    places.add("shop.books", table.keys["books"], table.entries["books"])

    place, found = places.at("shop.books", *names)

    assert (place.line, place.column, found) == (line, column, path)
    assert "shop.books" in places
    assert [*places] == ["shop.books"]
    assert places.of_name("shop.books") == table.keys["books"]
    assert places.names_in("shop.books", "inputs") == {"day", "empty"}
    assert places.names_in("shop.books", "executes") == frozenset()
