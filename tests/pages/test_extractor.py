"""An extractor gives the rows of every task of a page's group, and asks for a group that is not known."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from scoopi.errors import UsageError
from scoopi.pages.extractor import Extractor

DEFS = """
locatorGroups:
  shop: "http://127.0.0.1/shop.html"
  news: "http://127.0.0.1/news.html"
taskGroups:
  shop:
    names: { dataDef: names }
    prices: { dataDef: prices }
  news: { names: { dataDef: names } }
dataDefs:
  names:
    query: { block: body, selector: h1 }
    items: [ item: { name: title, value: "the title" } ]
  prices:
    each: li
    fields: { price: { select: b, type: decimal } }
"""
PAGE = b"<h1>Shop</h1><ul><li><b>2.40</b><li><b>3</b></ul>"


@pytest.fixture
def extractor(tmp_path: Path) -> Extractor:
    """Of definitions with two groups, one of which has rows and records."""
    (tmp_path / "defs.yml").write_text(DEFS)
    return Extractor(tmp_path / "defs.yml", {}, {}, {})


def test_rows_and_records_of_all_tasks_are_given_in_their_order(extractor: Extractor) -> None:
    assert extractor.extract(PAGE, "http://127.0.0.1/shop.html") == [
        ("shop", "shop", "the title", "Shop"),
        {"price": Decimal("2.40")},
        {"price": Decimal(3)},
    ]


def test_a_page_of_no_locator_belongs_to_the_group_that_is_named(extractor: Extractor) -> None:
    assert extractor.extract(PAGE, "http://127.0.0.1/x.html", "news") == [
        ("news", "news", "the title", "Shop")
    ]


@pytest.mark.parametrize("group", [None, "absent"])
def test_without_a_known_group_the_hint_names_those_that_there_are(
    extractor: Extractor, group: str | None
) -> None:
    with pytest.raises(UsageError) as raised:
        extractor.extract(PAGE, "http://127.0.0.1/x.html", group)
    assert raised.value.hint == "name one of shop, news"


def test_a_run_date_changes_with_the_second_and_no_sooner(extractor: Extractor) -> None:
    now = datetime(2026, 11, 25, 12, tzinfo=UTC)
    assert extractor.at(now).at(now) is extractor
    assert extractor.extract(PAGE, "http://127.0.0.1/news.html") == [("news", "news", "the title", "Shop")]
