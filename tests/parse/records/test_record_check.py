"""Faults of a definition of records that are known before any page is read, and what to write instead."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from scoopi.model.records import RecordSchema
from scoopi.model.records.record_def import FieldDef, RecordDef, Selector, SourceDef
from scoopi.model.records.record_fault import RecordFault
from scoopi.parse.records.record_check import check_records
from scoopi.parse.values.date_text import DateText

NOW = datetime(2026, 3, 2, tzinfo=UTC)
SELECT = ("fields", "f", "select", 0)


def faults(
    select: str = "a", each: str | None = None, source: str = "html", **field: Any
) -> list[RecordFault]:
    selects = (Selector(select),) if select else ()
    definition = RecordDef(
        "books",
        RecordSchema("books", ()),
        (FieldDef("f", selects, **field),),
        None if each is None else Selector(each),
        SourceDef(source),
    )
    return check_records(definition)


@pytest.mark.parametrize(
    ("select", "hint"),
    [
        ("h3::text", "write `h3`"),
        ("a::attr(href)", "write `a @href`"),
        ("response.css('h3::text').get()", "write `h3`"),
        ("soup.find('a')['href']", "write `a @href`"),
        ("a@href", "an attribute follows a blank and @: write `a @href`"),
        ("a/@href", "an XPath begins with / or ./: write ./a/@href"),
        ("a[@class='x']", "write `a[class='x']`"),
        ("a > href", "take the attribute: write `a @href`"),
    ],
)
def test_a_selector_of_another_tool_is_shown_as_it_is_written_here(select: str, hint: str) -> None:
    ((path, what, hinted),) = faults(select)
    assert path == SELECT
    assert what
    assert hint in hinted


@pytest.mark.parametrize("select", ["h3 > a @title", ".//a/@href", "a[href]", "//li[@class='x']", "p.price"])
def test_a_selector_of_the_language_has_no_fault(select: str) -> None:
    assert faults(select) == []


@pytest.mark.parametrize(("select", "attribute"), [("li a", "href"), ("div img", "src")])
def test_an_address_is_hardly_ever_a_text(select: str, attribute: str) -> None:
    ((_, what, hint),) = faults(select, type="url")
    assert what == f"{select!r} reads the text of an element, where an address is needed"
    assert hint == f"take an attribute: write `{select} @{attribute}`"
    assert faults(f"{select} @{attribute}", type="url") == []


def test_each_finds_elements_and_is_placed_by_itself() -> None:
    ((path, what, _),) = faults(each="a @href")
    assert (path, what) == (("each",), "`each` finds elements, not attributes")


def test_selectors_of_data_are_not_those_of_elements() -> None:
    assert faults("offers[0].price", source="json") == []
    ((_, _, hint),) = faults(".//a", source="json")
    assert "JMESPath" in hint


def test_a_default_has_the_type_of_its_field() -> None:
    assert faults(type="integer", default="7") == []
    ((path, what, _),) = faults(type="integer", default="seven")
    assert path == ("fields", "f", "default")
    assert "the default of field f is not of its type integer" in what


def test_the_values_of_a_map_have_the_type_of_their_field() -> None:
    assert faults(type="integer", map={"One": "1"}) == []
    ((path, what, _),) = faults(type="integer", map={"One": "1", "Two": "two"})
    assert path == ("fields", "f", "map", "Two")
    assert "the value for 'Two' of field f is not of its type integer" in what


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("%{page.nothing}", "placeholder %{page.nothing} names nothing"),
        ("at %{page.url", "the placeholder %{page.url is not closed"),
    ],
)
def test_a_constant_with_a_placeholder_that_has_no_value_is_a_fault(value: str, what: str) -> None:
    assert [(each.path, each.what) for each in faults("", value=value)] == [(("fields", "f", "value"), what)]


@pytest.mark.parametrize("replacement", ["$0", "${name} of $1", "\\$7", "cost: $", "$x"])
def test_a_replacement_may_name_the_groups_of_its_pattern(replacement: str) -> None:
    assert faults(replace=(("(?<name>a)", replacement),)) == []


@pytest.mark.parametrize("replacement", ["$2", "${nome}", "${4}"])
def test_a_replacement_that_names_another_group_is_a_fault(replacement: str) -> None:
    ((path, what, _),) = faults(replace=(("(?<name>a)", "$1"), ("(?<name>b)", replacement)))
    assert path == ("fields", "f", "replace", 1, 1)
    assert what.startswith(f"the replacement {replacement!r} names a group")


@pytest.mark.parametrize(
    ("language", "hint"),
    [
        ("de-AT", "did you mean de?"),
        ("DE", "did you mean de?"),
        ("german", "write its code, as in de, en or pt"),
    ],
)
def test_a_language_in_which_no_date_could_be_read_is_a_fault(language: str, hint: str) -> None:
    (found,) = faults(type="date", languages=("en", language))
    assert found == (("fields", "f", "languages", 1), f"there is no language {language!r}", hint)


@pytest.mark.parametrize("languages", [(), ("de",), ("zh-Hant", "en")])
def test_the_languages_of_dateparser_are_known(languages: tuple[str, ...]) -> None:
    assert faults(type="datetime", languages=languages) == []
    assert DateText((), languages, None, with_time=False).read("1.3.2026 10:00", NOW)
