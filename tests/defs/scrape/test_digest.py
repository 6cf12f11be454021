"""Digests: equal for what is defined alike, wherever it is written; different for all else."""

from __future__ import annotations

from textwrap import dedent

import pytest
from msgspec.structs import replace

from scoopi.defs.scrape.digest import definition_digest, tree_digest
from scoopi.defs.yaml import entries
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.yaml_file import YamlFile
from scoopi.model.records.record_def import RecordDef
from tests.defs.written import DATA, PLACES, TASKS, Check

BASE = "s:\n  x: { a: 1, b: [ c, d ] }\n  y: { a: 2 }\nt: { z: w }\n"


def digest(text: str, file: str = "f") -> str:
    table = YamlFile(dedent(text), file, Findings()).read()
    assert table is not None
    return tree_digest(table)


@pytest.mark.parametrize(
    "same",
    [
        "# a comment\n\n" + BASE,
        "t: { z: w }\ns:\n  y: { a: 2 }\n  x: { a: 1, b: [ c, d ] }\n",
        "s:\n  x:\n    a: '1'\n    b:\n    - c\n    - d\n  y: { a: 2 }\nt: { z: w }\n",
    ],
    ids=["comments", "order of sections and names", "another notation"],
)
def test_what_means_the_same_has_the_same_digest(same: str) -> None:
    assert digest(same, "other.yml") == digest(BASE)


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("a: 1", "a: 3"),
        BASE.replace("c, d", "d, c"),
        BASE.replace("c, d", "c"),
        BASE.replace("z: w", "z: "),
        BASE.replace("z: w", "z: ''"),
        BASE.replace("x: { a: 1, b: [ c, d ] }", "x: { b: [ c, d ], a: 1 }"),
        BASE.replace("[ c, d ]", "{ c: d }"),
    ],
)
def test_what_means_something_else_has_another_digest(other: str) -> None:
    assert digest(other) != digest(BASE)
    assert len(digest(other)) == 32


def test_packed_locators_have_the_digest_of_what_they_stand_for() -> None:
    """A long listing keeps flat tables packed: a change in the midst of one counts all the same."""
    places = [f"{{ name: n{number}, url: /{number}.html }}" for number in range(450)]

    def of(listed: list[str]) -> str:
        return digest(f"locatorGroups: {{ g: {{ locators: [ {', '.join(listed)} ] }} }}")

    changed = [*places]
    changed[100] = "{ name: n100, url: /other.html }"
    assert of(places) == of(places)
    assert len({of(places), of(changed), of(places[:-1]), of([*places[1:], places[0]])}) == 4


def test_a_list_has_the_same_digest_whether_its_tables_are_packed_or_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = ", ".join(f"{{ name: n{number}, url: /{number}.html }}" for number in range(450))
    packed = digest(f"s: {{ x: [ {listed} ] }}")
    monkeypatch.setattr(entries, "A_PART", 1000)
    assert digest(f"s: {{ x: [ {listed} ] }}") == packed


def test_places_are_not_part_of_a_definition(check: Check) -> None:
    here = check(PLACES + TASKS + DATA).definitions.data_defs["temps"]
    moved = check({"a.yml": PLACES + TASKS, "b.yml": "\n\n\n" + DATA}).definitions.data_defs["temps"]
    assert here != moved, "their places differ"
    assert definition_digest(here) == definition_digest(moved)
    assert definition_digest(replace(here, name="other")) != definition_digest(here)


@pytest.mark.parametrize("name", ["place", "digest", "other"])
def test_what_a_map_gives_is_part_of_a_definition_whatever_its_keys_are(check: Check, name: str) -> None:
    def definition(value: str) -> RecordDef:
        text = f"dataDefs:\n  temps:\n    fields: {{ x: {{ select: b, map: {{ {name}: {value} }} }} }}\n"
        return check({"a.yml": PLACES + TASKS + text}).definitions.record_defs["temps"]

    assert definition("one").digest == definition("one").digest
    assert definition("one").digest != definition("two").digest
