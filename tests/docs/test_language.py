"""The definitions in the reference and the recipes of the README read what the text claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi import extract

OFFERS = b"""
<table id="offers">
  <tr><th>Bike</th><th>Price</th><th>Gears</th><th>Colour</th><th>Added</th></tr>
  <tr><td>Kestrel</td><td>120</td><td>3</td><td> </td><td>9 Mar 2026</td><td><img src="k.jpg"></td></tr>
  <tr><td>Advertisement: oil</td><td>1</td><td>-</td><td>-</td><td>10 Mar 2026</td><td></td></tr>
  <tr><td>Heron <b>(new)</b></td><td>340</td><td>7</td><td>blue</td><td>in spring</td><td></td></tr>
</table>"""

DETAIL = b"""
<dl><dt>Frame</dt><dd>steel</dd><dt>Total</dt><dd>14 kg</dd><dt>Hidden</dt><dd>none</dd></dl>
<ul class="wheels"><li><b>front</b><i> 28" </i></li><li><b>rear</b><i>unknown</i></li></ul>"""


@pytest.fixture(autouse=True)
def _in_the_checkout(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)


SHOP = b"""
<ul class="offers">
  <li><a class="title" href="lamp.html">Lamp</a> <b class="price">40</b> <img src="lamp.png"></li>
  <li><a class="title" href="sofa.html">Sofa</a> <b class="price"> </b></li>
</ul>"""

SPECS = b"""
<table class="specs">
  <tr><th>Internal code</th><td>7</td></tr>
  <tr><th>Since</th><td>9 Mar 2026</td></tr>
  <tr><th>Weight</th><td>2 kg</td></tr>
  <tr><th>Colour</th><td>red</td></tr>
</table>"""


def rows(page: bytes, group: str, folder: str = "bikes") -> list[list[str | None]]:
    """The values of the rows, without locator and group."""
    configs = {"scoopi.dateTimePattern": "'now'"}
    found = extract(folder, page, "https://shop.example/page.html", group=group, configs=configs)
    return [list(row[2:]) for row in found]


def test_rows_are_items_by_dims_and_what_is_missing_is_written_so() -> None:
    offers = [row for row in rows(OFFERS, "list") if "EUR" in row]

    assert offers[:3] == [
        ["Kestrel", "Price", "EUR", "120"],
        ["Kestrel", "Gears", "EUR", "3"],
        ["Kestrel", "Colour", "EUR", "-"],
    ]
    assert offers[6] == ["Heron", "Price", "EUR", "340"]
    assert offers[9] == [None, "Price", "EUR", "not found"]
    assert len(offers) == 8 * 3


def test_filters_drop_dates_are_rolled_and_prefixes_are_put_before() -> None:
    prices = [row for row in rows(OFFERS, "list") if "EUR" not in row]

    assert prices == [
        ["Kestrel", "2026-03-01", "img/town/k.jpg", "120"],
        ["Heron", "in spring", None, "340"],
    ]


def test_a_stop_value_ends_the_rows_and_a_plugin_converts_or_keeps() -> None:
    assert rows(DETAIL, "detail") == [
        ["Frame", "steel"],
        ["Total", "14 kg"],
        ["front", "now", "711"],
        ["rear", "now", "unknown"],
    ]


def test_a_recipe_reads_a_list_of_unknown_length_with_texts_attributes_and_constants() -> None:
    assert rows(SHOP, "list", "shop") == [
        ["Lamp", "https://shop.example/lamp.png", "EUR", "now", "40"],
        ["Sofa", None, "EUR", "now", "-"],
    ]


def test_a_recipe_drops_rows_ends_at_a_value_and_converts_dates() -> None:
    assert rows(SPECS, "detail", "shop") == [["Since", "2026-03-01"], ["Weight", "2 kg"]]
