"""PageFacts: the placeholders of constants, and the columns that name the page."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoopi.errors import ParseError
from scoopi.model.locator import Locator
from scoopi.parse.records.page_facts import PageFacts, compile_constant, no_page

NOW = datetime(2026, 3, 1, 7, 30, tzinfo=UTC)
FACTS = PageFacts(
    Locator("oslo", "city", "/oslo"), "https://a.example/oslo", NOW, {"tag": "x", "n": 5, "z": None}
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("fixed", "fixed"),
        ("%{locator.name}/%{locator.group}", "oslo/city"),
        ("%{page.url} at %{page.fetchedAt}", "https://a.example/oslo at 2026-03-01T07:30:00+00:00"),
        ("#%{record.index}", "#3"),
        ("%{parent.tag}%{parent.n}", "x5"),
        ("%%{locator.name}", "%{locator.name}"),
        ("100%", "100%"),
        ("%{parent.z}", None),
        ("%{locator.name} of %{parent.none}", None),
    ],
)
def test_a_constant_is_filled_and_missing_if_a_part_of_it_is(text: str, value: str | None) -> None:
    assert compile_constant(text)(FACTS, 3) == value


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("%{locator.nam}", "did you mean %{locator.name}?"),
        ("%{qqqqqqqqqq}", "known are locator.name, locator.group, page.url"),
        ("%{parent.}", "known are"),
    ],
)
def test_an_unknown_placeholder_is_named(text: str, hint: str) -> None:
    with pytest.raises(ParseError, match="names nothing") as raised:
        compile_constant(text)
    assert hint in raised.value.hint


def test_columns_that_name_the_page() -> None:
    assert [FACTS.meta(name) for name in ("locator", "group", "page", "fetchedAt")] == [
        "oslo",
        "city",
        "https://a.example/oslo",
        "2026-03-01T07:30:00+00:00",
    ]


def test_a_default_is_checked_without_a_page() -> None:
    assert compile_constant("%{locator.name}-")(no_page(), 1) == "-"
    assert no_page().fetched_at.tzinfo is not None
