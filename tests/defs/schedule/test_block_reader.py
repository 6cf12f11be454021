"""BlockReader: keys of a block with their values; what is wrong is found at its place and left out."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from scoopi.defs.schedule.block_reader import BlockReader
from scoopi.defs.schedule.kinds import BOOLEAN, TEXT, choice, integer
from scoopi.defs.schedule.schedule_language import ANY, Block, BlockKey
from scoopi.defs.yaml.findings import Findings, Severity
from scoopi.defs.yaml.node import Table
from scoopi.defs.yaml.yaml_builder import YamlBuilder
from scoopi.model.place import Place

OWNER = Place("a.yml", 1, 1)
INNER = Block(
    (
        BlockKey("name", TEXT, "A name.", "x", "[x]", required=True),
        BlockKey("last", BOOLEAN, "?", "true", "x"),
    ),
    dict,
    is_list=True,
    short=lambda text: {"name": text},
)
BLOCK = Block(
    (
        BlockKey("max", integer(0), "How many.", "3", "x", required=True),
        BlockKey("mode", choice("managed", "manual"), "How.", "manual", "x", idle="manual"),
        BlockKey("note", TEXT, "Nothing yet.", "x", "[x]", idle=ANY),
        BlockKey("after", INNER, "What.", "[x]", "x"),
    ),
    dict,
)


def read(text: str) -> tuple[dict[str, Any], list[tuple[Severity, str, str]]]:
    """The values, and the findings by their keys."""
    root = YamlBuilder("a.yml").build(yaml.parse(text, Loader=yaml.SafeLoader))
    assert isinstance(root, Table)
    findings = Findings()
    values = BlockReader(findings).read(root, BLOCK, "p", OWNER)
    return values, [(each.severity, each.key, each.what) for each in findings.sorted()]


def test_values_are_read_by_their_kinds_also_inside_of_lists() -> None:
    values, found = read("max: 3\nmode: managed\nafter:\n  - one\n  - {name: two, last: true}\n")
    assert found == []
    assert values == {"max": 3, "mode": "managed", "after": ({"name": "one"}, {"name": "two", "last": True})}


@pytest.mark.parametrize(
    ("text", "key", "what"),
    [
        ("mode: managed", "p", "max is missing"),
        ("max: x", "p.max", "max "),
        ("max: 1\nmaks: 2", "p", "unknown key maks"),
        ("maxx: 1", "p", "unknown key maxx"),
        ("max: 1\nmode: manged", "p.mode", "mode "),
        ("max: 1\nafter: x", "p.after", "after is not a list"),
        ("max: 1\nafter: [[x]]", "p.after[0]", "after is not a mapping"),
        ("max: 1\nafter: [{last: true}]", "p.after[0]", "name is missing"),
    ],
)
def test_what_is_wrong_is_found_and_left_out(text: str, key: str, what: str) -> None:
    values, ((severity, found_key, found),) = read(text)
    assert (severity, found_key) == (Severity.ERROR, key)
    assert found.startswith(what)
    assert {*values} <= {"max", "mode", "after"}
    assert values.get("after", ()) == ()


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("mode: managed", []),
        ("mode: manual", ["mode: manual has no effect"]),
        ("note: x", ["note has no effect"]),
    ],
)
def test_a_value_without_effect_is_read_and_warned_of(text: str, warned: list[str]) -> None:
    values, found = read(f"max: 1\n{text}")
    assert len(values) == 2
    assert [what.partition(" in this")[0] for _, _, what in found] == warned
    assert {severity for severity, *_ in found} <= {Severity.WARNING}


def test_an_empty_list_of_blocks_is_as_if_the_key_were_not_written() -> None:
    assert read("max: 1\nafter: []") == ({"max": 1}, [])
