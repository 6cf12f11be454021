"""Kinds: each type of the scheduler's language reads its values, and names what is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scoopi.defs.schedule import kinds
from scoopi.defs.schedule.invalid_value import InvalidValueError
from scoopi.defs.schedule.kinds import ValueKind
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Node
from scoopi.defs.yaml.yaml_file import YamlFile


def node(text: str) -> Node:
    table = YamlFile(f"key: {text}", "f", Findings()).read()
    assert table is not None
    return table.entries["key"]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (kinds.TEXT, "a b", "a b"),
        (kinds.TEXT, "'3'", "3"),
        (kinds.TEXT, "2026-01-31", "2026-01-31"),
        (kinds.TEXT, "yes", "yes"),
        (kinds.BOOLEAN, "true", True),
        (kinds.integer(1, 9), "9", 9),
        (kinds.number(0, 1), "0.5", 0.5),
        (kinds.duration(), "90s", timedelta(seconds=90)),
        (kinds.duration(may_never=True), "never", None),
        (kinds.choice("a", "b"), "b", "b"),
        (kinds.list_of(kinds.integer(0)), "[ 1, 2 ]", (1, 2)),
        (kinds.list_of(kinds.TEXT, single=True), "a", ("a",)),
        (kinds.INSTANT, "2026-01-01T00:00:00Z", datetime(2026, 1, 1, tzinfo=UTC)),
        (kinds.ZONE, "Europe/Berlin", "Europe/Berlin"),
        (kinds.QUALIFIED_NAME, "shop.books", "shop.books"),
        (kinds.EXIT_CODES, "{ 3: noop, 75: not_ready }", {3: "noop", 75: "not_ready"}),
        (kinds.TARGET, "python:shop.jobs:load", ("python:shop.jobs:load",)),
        (kinds.TARGET, "[ ls, -l ]", ("ls", "-l")),
        (kinds.SIZE, "16MiB", 16 << 20),
        (kinds.SHARE, "100 %", "100 %"),
        (kinds.SHARE_OR_COUNT, "5%", "5%"),
        (kinds.SHARE_OR_COUNT, "5", 5),
        (kinds.SLOT_SHIFT, "same", 0),
        (kinds.SLOT_SHIFT, "previous", -1),
        (kinds.SLOT_SHIFT, "-7", -7),
    ],
)
def test_a_value_is_read_as_its_kind(kind: ValueKind, text: str, value: Any) -> None:
    assert kind.read(node(text)) == value


@pytest.mark.parametrize(
    ("kind", "text", "what"),
    [
        (kinds.TEXT, "", "has no value"),
        (kinds.TEXT, "[ a ]", "is a list"),
        (kinds.TEXT, "{ a: b }", "is a mapping"),
        (kinds.TEXT, "3", "is 3, which is not a text"),
        (kinds.TEXT, "-1.5e3", "is -1.5e3, which is not a text"),
        (kinds.TEXT, "true", "is true, which is not a text"),
        (kinds.BOOLEAN, "'true'", "is 'true'"),
        (kinds.BOOLEAN, "yes", "is 'yes'"),
        (kinds.integer(1, 9), "0", "is 0"),
        (kinds.integer(1, 9), "10", "is 10"),
        (kinds.integer(1), "1.5", "is '1.5'"),
        (kinds.integer(1), "'5'", "is '5'"),
        (kinds.number(0, 1), "1.1", "is '1.1'"),
        (kinds.number(0), "nan", "is 'nan'"),
        (kinds.duration("1s"), "999ms", "is 999ms"),
        (kinds.duration(), "never", "is 'never'"),
        (kinds.choice("a", "b"), "c", "is 'c'"),
        (kinds.list_of(kinds.TEXT), "[]", "is empty"),
        (kinds.list_of(kinds.TEXT), "a", "is not a list"),
        (kinds.list_of(kinds.TEXT), "", "has no value"),
        (kinds.EXIT_CODES, "{ 0: noop }", "is 0"),
        (kinds.EXIT_CODES, "{ 256: noop }", "is 256"),
        (kinds.EXIT_CODES, "noop", "is not a mapping"),
        (kinds.INSTANT, "2026-01-01", "is '2026-01-01'"),
        (kinds.ZONE, "Mars/Base", "is 'Mars/Base', which is not a time zone"),
        (kinds.QUALIFIED_NAME, "shop.", "is 'shop.'"),
        (kinds.TARGET, "ls -l", "is 'ls -l'"),
        (kinds.TARGET, "[ 'python:a:b' ]", "is a list with 'python:a:b', which is not a command"),
        (kinds.SIZE, "16MB", "is '16MB'"),
        (kinds.SHARE, "101 %", "is '101 %'"),
        (kinds.SHARE_OR_COUNT, "-1", "is -1"),
        (kinds.SLOT_SHIFT, "1", "is 1"),
    ],
)
def test_what_is_not_of_the_kind_is_named(kind: ValueKind, text: str, what: str) -> None:
    with pytest.raises(InvalidValueError) as raised:
        kind.read(node(text))
    assert str(raised.value) == what


@pytest.mark.parametrize(
    ("kind", "text", "errors"),
    [
        (
            kinds.list_of(kinds.choice("failed", "error")),
            "[fail, error, x]",
            [("[0]", 7, "failed"), ("[2]", 20, "")],
        ),
        (kinds.EXIT_CODES, "{0: noop, 300: failed}", [(".0", 7, ""), (".300", 16, "")]),
        (kinds.EXIT_CODES, "{3: nop}", [(".3", 10, "noop")]),
        (kinds.map_of(kinds.NAME, kinds.TEXT), "{a: 1, b: }", [(".a", 10, ""), (".b", 13, "")]),
        (kinds.map_of(kinds.NAME, kinds.TEXT), "{a: x, 'b c': y}", [("", 13, "")]),
    ],
)
def test_each_invalid_entry_is_named_at_its_place(
    kind: ValueKind, text: str, errors: list[tuple[str, int, str]]
) -> None:
    with pytest.raises(InvalidValueError) as raised:
        kind.read(node(text))
    found = [raised.value, *raised.value.further]
    assert [(each.inner, each.place and each.place.column, each.near) for each in found] == errors


def test_the_nearest_time_zone_is_named() -> None:
    with pytest.raises(InvalidValueError) as raised:
        kinds.ZONE.read(node("Europe/Belrin"))
    assert raised.value.near == "Europe/Berlin"


def test_a_kind_says_in_words_what_is_allowed() -> None:
    assert kinds.integer(1).allowed == "a whole number from 1"
    assert kinds.integer(1, 9).allowed == "a whole number from 1 to 9"
    assert kinds.number(0.5, 2).allowed == "a number from 0.5 to 2"
    assert kinds.choice("a", "b").allowed == "a | b"
    assert kinds.list_of(kinds.choice("a")).allowed == "a list of: a"
    assert kinds.duration("1s", may_never=True).allowed.endswith(", or never")
