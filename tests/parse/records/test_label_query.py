"""Values beside labels."""

from __future__ import annotations

import pytest

from scoopi.parse.records.label_query import labels_in
from tests.parse.record_page import page_of, value_of


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><th>Price</th><td>1</td></tr><tr><th> upc: </th><td>a <b>22</b></td></tr></table>",
        "<table><tr><td><b>UPC</b></td><td>a 22</td></tr></table>",
        "<dl><dt>UPC</dt><dd>a 22</dd><dd>other</dd></dl>",
        "<dl><dt>UPC</dt><dt>EAN</dt><dd>a 22</dd></dl>",
        "<label for=x>UPC</label><br><input id=x value='a 22'>",
        "<label>UPC</label><input value='a 22'>",
        "<p><b>UPC:</b> a 22<br><b>EAN:</b> 3</p>",
        "<p><span>UPC</span>: a 22</p>",
        "<div><strong>UPC:</strong><span>a 22</span></div>",
        "<ul><li>EAN: 1</li><li>UPC: a 22</li></ul>",
    ],
)
def test_a_value_stands_beside_its_label(page: str) -> None:
    assert value_of(page, {"label": "Upc"}) == "a 22"
    labels = [each.casefold() for each in labels_in(page_of(page).root)]
    assert labels.count("upc") == 1


@pytest.mark.parametrize(
    "page", ["<p>UPC</p><p>a 22</p>", "<p>The UPC is a 22</p>", "<th>UPC", "<p>UPCs: 3</p>"]
)
def test_what_is_not_a_label_gives_no_value(page: str) -> None:
    assert value_of(page, {"label": "UPC"}) is None


def test_a_list_takes_all_values_of_a_label() -> None:
    page = "<dl><dt>Tag</dt><dd>a</dd><dd>b</dd></dl>"
    assert value_of(page, {"label": "Tag", "list": True}) == ["a", "b"]
