"""`scoopi period` calculates with periods."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Screen


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ("cast hourly D:2011010100", "H:2011010100"),
        ("cast hourly 20110101161633", "H:2011010116"),
        ("cast daily 2011010112", "D:2011010100"),
        ("cast monthly 2011-01-31T23:30:00-02:00", "M:2011020000"),
        ("cast hourly 1300000000", "H:2011031307"),
        ("cast second H:2011010101", "20110101010000"),
        ("cast yearly 2011000000", "Y:2011000000"),
        ("shift H:2011010100 -3", "H:2010123121"),
        ("diff H:2011010100 H:2010123121", "3"),
        ("group 3 H:2011010122", "H:2011010122 H:2011010123"),
        ("parse H:2011010123", "2011-01-01T23:00:00Z 2011-01-02T00:00:00Z"),
    ],
)
def test_an_operation_prints_its_result(screen: Screen, arguments: str, printed: str) -> None:
    assert screen.run("period", *arguments.split()) == 0
    assert screen.out.getvalue() == f"{printed}\n"


def test_the_hint_about_different_lengths_is_a_command_that_works(screen: Screen) -> None:
    assert screen.run("period", "diff", "H:2011010100", "D:2011010100") == 2
    command = re.search("scoopi (period cast .*) converts", screen.err.getvalue())
    assert command is not None
    assert screen.run(*command[1].split()) == 0
    assert screen.out.getvalue() == "H:2011010100\n"


def test_children_are_printed_one_a_line_also_as_json(screen: Screen) -> None:
    assert screen.run("period", "children", "M:2024020000", "--json") == 0
    rows = [json.loads(line) for line in screen.out.getvalue().splitlines()]
    assert rows[0] == {"period": "D:2024020100"}
    assert len(rows) == 29


@pytest.mark.parametrize(
    "arguments",
    [
        "cast weekly D:2011010100",
        "shift H:2011010100 x",
        "group 24 H:2011010100",
        "parse tomorrow",
        "",
        "add 1 2",
    ],
)
def test_an_invalid_argument_is_a_usage_error(screen: Screen, arguments: str) -> None:
    assert screen.run("period", *arguments.split()) == 2
    assert screen.out.getvalue() == ""


def test_the_session_in_the_documentation_is_what_is_printed(screen: Screen) -> None:
    page = (Path(__file__).parents[3] / "docs/periods.md").read_text()
    session = page.partition("```console\n")[2].partition("```")[0]
    for command in session.split("$ scoopi ")[1:]:
        arguments, _, printed = command.partition("\n")
        assert screen.run(*arguments.split()) == 0
        assert screen.out.getvalue().endswith(printed), arguments
    assert session.count("$ scoopi") == 6
