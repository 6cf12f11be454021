"""RecordDef: what a definition takes from elsewhere, and the columns it fills."""

from __future__ import annotations

from scoopi.model.place import Place
from scoopi.model.records.record_def import FieldDef, Selector, SourceDef

HERE, THERE = Place("a.yml", 1), Place("a.yml", 2)


def test_a_price_fills_two_columns() -> None:
    assert FieldDef("cost", type="price").column_names == ("cost", "cost_currency")
    assert FieldDef("cost", type="decimal").column_names == ("cost",)


def test_a_field_names_what_it_takes_from_the_record_before() -> None:
    assert FieldDef("a", parent="b").parents == ("b",)
    assert FieldDef("a", value="%{parent.x} %{page.url} %%{parent.y}").parents == ("x",)
    assert FieldDef("a").parents == ()


def test_a_field_is_found_where_its_first_selector_stands() -> None:
    assert FieldDef("a", (Selector("td", HERE),), place=THERE).read_at == HERE
    assert FieldDef("a", value="x", place=THERE).read_at == THERE


def test_only_html_is_selected_by_css() -> None:
    assert SourceDef().is_html
    assert not SourceDef("jsonld").is_html
