"""FieldReader: a field is read from its element, the page, the record before, a script or a constant."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from scoopi.model.locator import Locator
from scoopi.model.records.record_def import FieldDef
from scoopi.parse.records.field_reader import FieldReader, Reading
from scoopi.parse.records.page_facts import PageFacts

FACTS = PageFacts(
    Locator("acme", "shops", "http://h/"), "http://h/", datetime(2026, 1, 1, tzinfo=UTC), {"tags": ["x", "y"]}
)


def reading(**given: Any) -> Reading:
    return Reading("page", FACTS, **given)


def reader(find: Any = None, **given: Any) -> FieldReader:
    return FieldReader(FieldDef("f", **given), find, 1000)


def find(root: str) -> list[str]:
    return [f"of the {root}"]


def test_what_is_found_is_looked_for_in_the_element_or_in_the_page() -> None:
    of_element, of_page = reader(find), reader(find, page=True)
    assert of_element.read(reading(), "element") == ["of the element"]
    assert of_page.read(reading(), "element") == ["of the page"]
    assert (of_element.is_found, of_page.is_found) == (True, False)


@pytest.mark.parametrize(("is_list", "values"), [(True, ["x", "y"]), (False, [["x", "y"]])])
def test_a_field_of_the_record_before_is_a_list_only_if_this_one_is(is_list: bool, values: list[Any]) -> None:
    field = reader(parent="tags", is_list=is_list)
    assert [*field.read(reading(), "element")] == values
    assert not field.is_found


def test_a_field_that_the_record_before_lacks_is_missing() -> None:
    assert [*reader(parent="price").read(reading(), "element")] == [None]


def test_a_script_knows_the_fields_before_it() -> None:
    def run(script: str, known: dict[str, Any]) -> str:
        return f"{script} {known}"

    found = reader(script="a + 1").read(reading(script=run, known={"a": "2"}), "element")
    assert [*found] == ["a + 1 {'a': '2'}"]


def test_a_constant_knows_its_page_and_the_number_of_its_record() -> None:
    field = reader(value="%{locator.name} %{record.index}")
    assert [*field.read(reading(index=3), "element")] == ["acme 3"]
