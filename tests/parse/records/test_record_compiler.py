"""A definition of records becomes queries of its fields: the first alternative that finds anything counts."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.records import RecordSchema
from scoopi.model.records.record_def import FieldDef, RecordDef, Selector, SourceDef
from scoopi.parse.records.record_compiler import find_of, zone

PAGE = etree.fromstring(
    "<html><body><li><a>one</a><a>two</a></li><h1>Top</h1><dl><dt>Size</dt><dd>9</dd></dl></body></html>"
)
RECORD = PAGE[0][0]


def definition(each: str | None = "li", source: str = "html", time_zone: str = "") -> RecordDef:
    selector = None if each is None else Selector(each)
    return RecordDef("r", RecordSchema("r", ()), (), selector, SourceDef(source), time_zone=time_zone)


def values_of(
    root: Any, *selects: str, each: str | None = "li", source: str = "html", **field: Any
) -> list[Any] | None:
    given = FieldDef("f", tuple(map(Selector, selects)), **field)
    find = find_of(given, definition(each, source), 1000)
    return None if find is None else [*find(root)]


@pytest.mark.parametrize(
    ("selects", "is_list", "values"),
    [
        (("a",), False, ["one"]),
        (("a",), True, ["one", "two"]),
        (("b", "a"), False, ["one"]),
        (("b",), False, []),
    ],
)
def test_the_first_alternative_that_finds_anything_counts(
    selects: tuple[str, ...], is_list: bool, values: list[str]
) -> None:
    assert values_of(RECORD, *selects, is_list=is_list) == values


def test_a_field_of_the_page_or_of_a_page_that_is_one_record_looks_into_the_page() -> None:
    assert values_of(RECORD, "//h1") == []
    assert values_of(PAGE, "//h1", page=True) == values_of(PAGE, "//h1", each=None) == ["Top"]


def test_a_label_leads_to_the_value_beside_it() -> None:
    assert values_of(PAGE, label="Size", page=True) == ["9"]


def test_data_is_read_by_paths() -> None:
    assert values_of({"a": {"b": 7}}, "a.b", source="json") == [7]


def test_a_constant_is_not_read_from_the_page() -> None:
    assert values_of(RECORD, value="x") is None


def test_a_zone_has_a_name() -> None:
    assert zone(definition()) is None
    assert zone(definition(time_zone="Europe/Oslo")) == ZoneInfo("Europe/Oslo")
    with pytest.raises(ParseError) as refused:
        zone(definition(time_zone="Europe/Bonn"))
    assert "Europe/Berlin" in (refused.value.hint or "")
