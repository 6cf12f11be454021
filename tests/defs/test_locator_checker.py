"""Locators that stand for many pages: short and long forms, and what can be wrong with them."""

from __future__ import annotations

import pytest

from tests.defs.written import DATA, TASKS, Check

RECORDS = """\
dataDefs:
  temps:
    each: li
    fields: { n: { parent: n }, name: b }
"""
AT = "defs.yml"


def written(locator: str, rest: str = TASKS + DATA) -> dict[str, str]:
    return {AT: f"locatorGroups:\n  city:\n    locators:\n      - {locator}\n{rest}"}


@pytest.mark.parametrize(
    "locator",
    [
        '{ name: "p%{n}", url: "http://a/%{n}", n: 1-3 }',
        '{ name: "p%{n}", url: "http://a/%{n}", values: { n: 1-3 } }',
        '{ name: "p%{n}", url: "http://a/%{n}", n: [ 1, "2", 3 ] }',
    ],
)
def test_values_may_stand_beside_the_address(check: Check, locator: str) -> None:
    checked = check(written(locator))
    assert checked.found == []
    pages = [page for each in checked.definitions.locator_groups["city"].locators for page in each.each()]
    assert [(page.name, page.url) for page in pages] == [(f"p{n}", f"http://a/{n}") for n in (1, 2, 3)]


def test_a_parameter_with_a_placeholder_is_encoded_once(check: Check) -> None:
    locator = '{ name: p, url: "http://a/?x", params: { "a b": "%{t}&%%{t}" }, t: [ "é &" ] }'
    checked = check(written(locator))
    assert checked.found == []
    (one,) = checked.definitions.locator_groups["city"].locators
    assert [page.url for page in one.each()] == ["http://a/?x&a+b=%C3%A9+%26%26%{t}"]


def test_a_doubled_mark_is_no_placeholder(check: Check) -> None:
    checked = check(written('{ name: "%%{n}", url: "http://a/%%{n}" }'))
    assert checked.found == []
    (one,) = checked.definitions.locator_groups["city"].locators
    assert (one.name, one.url) == ("%{n}", "http://a/%{n}")


def test_a_field_reads_a_value_of_its_locator(check: Check) -> None:
    checked = check(written('{ name: p, url: "http://a/%{n}", n: 1-3 }', TASKS + RECORDS))
    assert checked.found == []
    assert checked.definitions.task_groups["city"].parents == ("n",)


@pytest.mark.parametrize(
    ("locator", "found"),
    [
        (
            '{ name: p, url: "http://a/%{n}" }',
            "4:25: error locatorGroups.city.locators[0].url: %{n} has no values; "
            "add `n: 1-50` beside the url",
        ),
        (
            '{ name: p, url: "http://a/%{n}", values: { m: 1-3 } }',
            "4:25: error locatorGroups.city.locators[0].url: %{n} has no values; known are m",
        ),
        (
            '{ name: p, url: "http://a/%{num}", nmu: 1-3, num: 1-3 }',
            "4:44: error locatorGroups.city.locators[0]: unknown key nmu; known are name, url, method, "
            "params, headers, form, json, idempotent, values",
        ),
        (
            '{ name: p, url: "http://a/%{n}", n: 3-1 }',
            "4:45: error locatorGroups.city.locators[0].values.n: n ends before it begins; write 1-3",
        ),
        (
            '{ name: p, url: "http://a/%{n}", n: 1-200000000 }',
            "4:42: error locatorGroups.city.locators[0].values: these are 200,000,000 pages, at most "
            "100,000,000 are possible; make several groups, or smaller ranges",
        ),
    ],
)
def test_what_is_wrong_is_reported_where_it_stands(check: Check, locator: str, found: str) -> None:
    assert check(written(locator)).found == [found]


def test_a_field_whose_value_no_locator_gives_is_reported(check: Check) -> None:
    (found,) = check(written("{ name: p, url: http://a/ }", TASKS + RECORDS)).found
    assert "no field leads to group city, so there is no parent with a field n" in found
    assert found.endswith("or values to its locators")
