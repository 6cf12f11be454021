"""Inputs of a run: where definitions may name them, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.defs.scrape.defs_reader import read_definitions
from scoopi.model.inputs import Inputs
from tests.defs.written import DATA, PLACES, TASKS, Outcome, write

TOWN = """\
locatorGroups:
  city:
    locators:
      - { name: "%{input.town}", url: "/%{input.town}.html?day=%{slot.key}" }
"""


def read(folder: Path, text: str, values: dict[str, str], giver: str = "") -> Outcome:
    write(folder, {"defs.yml": text})
    return Outcome(*read_definitions(folder, inputs=Inputs(values, giver)), folder)


def test_inputs_and_slots_are_put_into_locators(tmp_path: Path) -> None:
    done = read(tmp_path, TOWN + TASKS + DATA, {"town": "oslo", "slot.key": "D:2026010100"})
    assert done.found == []
    (locator,) = done.definitions.locator_groups["city"].locators
    assert (locator.name, locator.url) == ("oslo", "/oslo.html?day=D:2026010100")


def test_other_values_give_another_digest(tmp_path: Path) -> None:
    digests = {
        read(tmp_path, TOWN + TASKS + DATA, {"town": town, "slot.key": "!1"}).definitions.digest
        for town in ("oslo", "bergen")
    }
    assert len(digests) == 2


def test_a_missing_input_has_its_place_and_a_hint(tmp_path: Path) -> None:
    done = read(tmp_path, TOWN + TASKS + DATA, {"towm": "oslo", "slot.key": "!1"})
    assert done.found == [
        "4:17: error locatorGroups.city.locators[0].name: the input town is not given; towm is given; "
        "add -i town=VALUE"
    ]


def test_an_input_that_no_placeholder_names_is_reported_at_the_one_with_the_most_similar_name(
    tmp_path: Path,
) -> None:
    done = read(tmp_path, TOWN + TASKS + DATA, {"town": "oslo", "slot.key": "!1", "tonw": "a", "x": "b"})
    assert done.found == [
        "4:17: error the input tonw is given, but the definitions have no such input; did you mean town?",
        "4:17: error the input x is given, but the definitions have no such input; they name slot.key, town",
    ]


def test_an_input_for_definitions_without_any_is_reported_where_they_begin(tmp_path: Path) -> None:
    done = read(tmp_path, PLACES + TASKS + DATA, {"town": "oslo"})
    assert done.found == [
        "1:1: error the input town is given, but the definitions have no such input; "
        "they have no %{input.NAME}"
    ]


def test_a_process_may_have_inputs_of_which_its_scrape_needs_none(tmp_path: Path) -> None:
    done = read(tmp_path, TOWN + TASKS + DATA, {"town": "oslo", "extra": "1"}, "process shop.towns")
    assert done.found == [
        "4:39: error locatorGroups.city.locators[0].url: process shop.towns does not give the input "
        "slot.key; add `slot.key: VALUE` to its inputs"
    ]


@pytest.mark.parametrize(
    ("value", "last", "found"),
    [
        ("1-%{input.last}", "ten", "became `1-ten`, which is not a range; last must be a whole number; "),
        ("1-%{input.last}", "", "became `1-`, which is not a range; last must be a whole number; "),
        (
            "1..%{input.last}",
            "",
            "became `1..`, which is not a range; last must be a whole number or a day; ",
        ),
        (
            "%{input.last}-%{input.last}",
            "x",
            "became `x-x`, which is not a range; last must be a whole number",
        ),
        ("2-%{input.last}", "1", "became `2-1`: n ends before it begins; give another value for last"),
        (
            "2026-01-01..%{input.last}",
            "soon",
            "became `2026-01-01..soon`: 'soon' in n is neither a number nor a day; give another value",
        ),
    ],
)
def test_a_range_with_a_wrong_input_is_no_text(tmp_path: Path, value: str, last: str, found: str) -> None:
    city = f'locatorGroups:\n  city: {{ url: "http://a/%{{n}}", n: "{value}" }}\n'
    done = read(tmp_path, city + TASKS + DATA, {"last": last})
    (sentence,) = done.found
    assert sentence.startswith(f"2:36: error locatorGroups.city.n: `{value}` {found}")


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("'1-%{input.last}'", ["1", "2", "3"]),
        ("'%{input.last}'", ["3"]),
        ("[ '1-%{input.last}' ]", ["1-3"]),
        ("'page-%{input.last}'", ["page-3"]),
    ],
)
def test_an_input_is_the_end_of_a_range_or_a_part_of_a_text(
    tmp_path: Path, value: str, texts: list[str]
) -> None:

    city = f'locatorGroups:\n  city: {{ url: "http://a/%{{n}}", n: {value} }}\n'
    done = read(tmp_path, city + TASKS + DATA, {"last": "3"})
    assert done.found == []
    (locator,) = done.definitions.locator_groups["city"].locators
    assert [each.url for each in locator.each()] == [f"http://a/{text}" for text in texts]


def test_constants_take_inputs_as_they_are(tmp_path: Path) -> None:
    data = DATA.replace("selector: th", 'value: "%{input.town} %%{input.free}"')
    done = read(tmp_path, TOWN + TASKS + data, {"town": "%{index}", "slot.key": "!1"})
    assert done.found == []
    assert done.definitions.data_defs["temps"].items[0].value == "%%{index} %%{input.free}"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (
            DATA.replace("selector: th", 'selector: "%{input.a}"'),
            "error dataDefs.temps.items[0].item.selector: %{input.a} stands in a query; define an axis with "
            "value: '%{input.a}', and write %{item.value} here",
        ),
        (
            DATA.replace("selector: th", 'script: "%{input.a}"'),
            "error dataDefs.temps.items[0].item.script: %{input.a} stands in code; write it in a locator, a "
            "constant (value), a prefix, or the name of an output",
        ),
        (
            DATA.replace("name: hour, selector: th", 'name: hour, value: "%{slot.day}"'),
            "error dataDefs.temps.items[0].item.value: a slot has no day; known are end, key, start",
        ),
        (
            DATA.replace("name: hour, selector: th", 'name: hour, value: "%{input.1}"'),
            "error dataDefs.temps.items[0].item.value: '1' is not a valid name of an input; "
            "begin with a letter or _; then use letters, digits, _ and -",
        ),
    ],
)
def test_inputs_are_refused_in_queries_and_code(tmp_path: Path, data: str, found: str) -> None:
    done = read(tmp_path, TOWN.replace("%{input.town}", "oslo") + TASKS + data, {"slot.key": "!1"})
    assert done.sentences[0] == found


def test_a_mark_of_page_values_in_an_input_is_harmless(tmp_path: Path) -> None:
    done = read(tmp_path, TOWN + TASKS + DATA, {"town": "o\0slo", "slot.key": "!1"})
    (locator,) = done.definitions.locator_groups["city"].locators
    assert locator.name == "o\ufffdslo"


def test_long_lists_are_filled_too(tmp_path: Path) -> None:
    lines = "".join(f'      - {{ name: p{n}, url: "/%{{input.town}}/{n}.html" }}\n' for n in range(450))
    text = "locatorGroups:\n  city:\n    locators:\n" + lines + TASKS + DATA
    done = read(tmp_path, text, {"town": "oslo"})
    urls = [each.url for each in done.definitions.locator_groups["city"].locators]
    assert urls == [f"/oslo/{n}.html" for n in range(450)]


def test_an_input_may_be_the_day_since_when_a_list_has_changed(tmp_path: Path) -> None:
    city = "locatorGroups:\n  city: { from: sitemap, url: /s.xml, since: '%{input.day}' }\n"
    done = read(tmp_path, city + TASKS + DATA, {"day": "2026-01-31"})
    assert done.found == []
    (field,) = done.definitions.record_defs["city.sitemap.pages"].fields
    assert "20260131" in field.selects[0].text
    (sentence,) = read(tmp_path, city + TASKS + DATA, {"day": "soon"}).found
    assert "since is 'soon', which is not a day" in sentence


@pytest.mark.parametrize(
    "source",
    [
        "'%{input.town}'",
        "'%{input.town}.csv'",
        "{ database: 'sqlite:towns.db', query: 'select %{input.town}' }",
        "{ run: '%{input.town}', output: a.csv }",
    ],
)
def test_nothing_else_is_reported_of_a_source_whose_input_is_missing(tmp_path: Path, source: str) -> None:
    city = f"locatorGroups:\n  city: {{ from: {source}, url: 'http://a/%{{id}}' }}\n"
    (sentence,) = read(tmp_path, city + TASKS + DATA, {}).found
    assert "the input town is not given; add -i town=VALUE" in sentence
