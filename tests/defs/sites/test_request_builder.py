"""Requests of locators as definitions give them; ids of plain pages are what they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.model.job import ancestor_digest, page_url, seed_id
from scoopi.model.locator import PageRequest
from scoopi.model.scrape.locator_def import LocatorDef
from tests.defs.written import DATA, TASKS, check_in


def locators(folder: Path, entries: str) -> list[LocatorDef]:
    text = f"locatorGroups:\n  city:\n    locators:\n{entries}"
    checked = check_in(folder, {"defs.yml": text + TASKS + DATA})
    assert checked.found == []
    return list(checked.definitions.locator_groups["city"].locators)


def test_a_plain_locator_has_no_request(tmp_path: Path) -> None:
    (one,) = locators(tmp_path, "      - { name: a, url: http://a/?x, params: { q: 1 } }\n")
    assert (one.url, one.request) == ("http://a/?x&q=1", None)


def test_secret_params_stay_out_of_the_address(tmp_path: Path) -> None:
    (one,) = locators(tmp_path, '      - { name: a, url: "http://a/", params: { q: 1, key: "${env:K}" } }\n')
    assert one.url == "http://a/?q=1"
    assert one.request == PageRequest(params=(("key", "${env:K}"),))


def test_quoted_values_of_long_lists_stay_texts(tmp_path: Path) -> None:
    cells = "".join(f'          - {{ code: "{number}", count: {number} }}\n' for number in range(450))
    (one,) = locators(tmp_path, f"      - name: a\n        url: http://a/\n        json:\n{cells}")
    assert one.request is not None
    assert '{"code":"7","count":7}' in one.request.json
    assert '{"code":"449","count":449}' in one.request.json


def test_words_that_json_does_not_have_as_numbers_stay_texts(tmp_path: Path) -> None:
    cells = "{ page: 2, brand: Infinity, unit: NaN, code: 1e999, price: -1.5 }"
    (one,) = locators(tmp_path, f"      - {{ name: a, url: http://a/, json: {cells} }}\n")
    assert one.request is not None
    assert one.request.json == '{"page":2,"brand":"Infinity","unit":"NaN","code":"1e999","price":-1.5}'


def test_a_json_document_that_is_nested_too_deeply_is_reported_at_its_place(tmp_path: Path) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    entries = (
        f"      - {{ name: a, url: http://a/, json: '{deep}' }}\n      - {{ name: b, url: http://b/ }}\n"
    )
    text = f"locatorGroups:\n  city:\n    locators:\n{entries}"
    found = check_in(tmp_path, {"defs.yml": text + TASKS + DATA}).found
    assert len(found) == 1
    assert "json is not a JSON document: it is nested too deeply" in str(found[0])


def test_the_ids_of_plain_pages_have_not_changed() -> None:
    assert seed_id("g", "n", "http://a/") == "52320d3e8bf2c1abbc53d16e24ba5edd"
    assert ancestor_digest("g", page_url("http://a/#x")).hex() == "5e8392d780906584"


def test_another_request_is_another_page() -> None:
    one, other = PageRequest("POST", form=(("a", "1"),)).key, PageRequest("POST", form=(("a", "2"),)).key
    assert len({seed_id("g", "n", "u", key) for key in ("", one, other)}) == 3
    assert len({ancestor_digest("g", "u", key) for key in ("", one, other)}) == 3


@pytest.mark.parametrize(
    ("headers", "wrong"), [("{ a b: c }", "a b"), ("{ Host: c }", "Host"), ('{ X-A: "a\\nb" }', '"a')]
)
def test_a_wrong_header_is_an_error_at_its_name_or_at_its_value(
    tmp_path: Path, headers: str, wrong: str
) -> None:
    locator = f"      - {{ name: n, url: http://h/, headers: {headers} }}\n"
    text = f"locatorGroups:\n  city:\n    locators:\n{locator}"
    (found,) = check_in(tmp_path, {"defs.yml": text + TASKS + DATA}).found
    assert found.startswith(f"4:{locator.index(wrong) + 1}: error ")
