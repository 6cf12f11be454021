"""How several files become one set of definitions."""

from __future__ import annotations

from tests.defs.written import DATA, PLACES, TASKS, Check


def test_sections_of_several_files_are_put_together(check: Check) -> None:
    more = "locatorGroups:\n  lake: { locators: [ { name: mjosa, url: /m.html } ] }\n"
    more += "taskGroups:\n  lake: { temps: { dataDef: temps } }\n"
    outcome = check({"a.yml": PLACES, "b.yml": TASKS + DATA, "c.yml": more})
    assert outcome.found == []
    assert list(outcome.definitions.locator_groups) == ["city", "lake"]


def test_the_same_name_twice_is_accepted_when_both_are_equal(check: Check) -> None:
    again = "dataDefs:\n  temps: { items: [ item: { selector: 'th', name: hour } ],\n"
    again += "           query: { selector: td, block: table } }\n"
    assert check({"a.yml": PLACES + TASKS + DATA, "b.yml": again}).found == []


def test_the_same_name_twice_shows_both_places_when_they_differ(check: Check) -> None:
    outcome = check({"a.yml": PLACES + TASKS + DATA, "b/c.yml": DATA.replace("hour", "minute")})
    assert outcome.found == [
        "b/c.yml:2:3: error dataDefs.temps: temps is defined in two files, differently (see a.yml:6:3); "
        "keep one, or rename one"
    ]


def test_a_section_that_is_no_mapping_in_one_file_is_an_error(check: Check) -> None:
    outcome = check({"a.yml": PLACES + TASKS + DATA, "b.yml": "dataDefs: [ x ]\n", "c.yml": "taskGroups:\n"})
    assert outcome.found == [
        "b.yml:1:1: error dataDefs: a section is a mapping of names; remove it",
        "c.yml:1:1: error taskGroups: a section is a mapping of names; remove it",
    ]


def test_an_empty_section_is_an_error(check: Check) -> None:
    outcome = check(PLACES + TASKS + DATA + "steps:\n")
    assert outcome.found == [
        "9:1: error steps: steps has no value; write `steps: { mySteps: { css: { … } } }`"
    ]


def test_missing_sections_are_errors(check: Check) -> None:
    assert check(DATA).sentences == [
        "error locatorGroups is missing; "
        "add `locatorGroups: { news: { locators: [ { name: today, url: /pages/today.html } ] } }`",
        "error taskGroups is missing; add `taskGroups: { news: { headlines: { dataDef: headlines } } }`",
    ]


def test_a_broken_file_makes_nothing_else_seem_missing(check: Check) -> None:
    outcome = check({"a.yml": PLACES, "b.yml": TASKS, "c.yml": "dataDefs: [\n"})
    assert [line.split(":")[0] for line in outcome.found] == ["c.yml"]


def test_sections_that_begin_with_x_are_for_anchors_only(check: Check) -> None:
    anchors = """\
x-cell: &cell { name: hour, selector: th }
x-note: a text, not a mapping
"""
    data = DATA.replace("{ name: hour, selector: th }", "*cell")
    outcome = check({"defs.yml": anchors + PLACES + TASKS + data, "more.yml": "x-cell: other\n"})
    assert outcome.found == []
    assert outcome.definitions.data_defs["temps"].items[0].name == "hour"
    plain = check(PLACES + TASKS + DATA)
    assert outcome.definitions.digest == plain.definitions.digest, "a run does not depend on them"


def test_a_section_with_another_prefix_is_unknown(check: Check) -> None:
    assert "unknown key y-cell" in check("y-cell: {}\n" + PLACES + TASKS + DATA).sentences[0]
