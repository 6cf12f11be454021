"""BrowserDef: a page that is waited for only if it has an element has no condition of its own."""

from __future__ import annotations

import pytest

from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import Until


@pytest.mark.parametrize(
    "until",
    [Until(selector="h1"), Until(gone=".busy"), Until(text="Total"), Until(idle_ms=500), Until(time_ms=500)],
)
def test_each_condition_says_when_a_page_is_complete(until: Until) -> None:
    assert until.is_given


def test_optional_selectors_and_a_place_alone_are_no_condition() -> None:
    assert not Until(optional=(".more",), place=Place("shop.yml", 3, 5)).is_given
