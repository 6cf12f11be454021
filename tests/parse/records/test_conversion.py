"""Conversion: what is read becomes a value of the field's type, or is reported as unreadable."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from scoopi.errors import ConvertError, ParseError
from scoopi.model.locator import Locator
from scoopi.model.records.record_def import FieldDef
from scoopi.parse.records import conversion
from scoopi.parse.records.conversion import Conversion, text_of_raw
from scoopi.parse.records.page_facts import PageFacts

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
FACTS = PageFacts(Locator("n", "g", "/"), "https://a.example/", NOW, absolute=lambda link: f"abs:{link}")


def read(*raws: Any, **field: Any) -> tuple[Any, list[str]]:
    """The value, and what could not be converted."""
    unread: list[ConvertError] = []
    value = Conversion(FieldDef("f", **field), 1000).value(raws, FACTS, unread)
    return value, [error.what for error in unread]


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        ("text", "a", "a"),
        ("text", {"a": 1}, '{"a":1}'),
        ("integer", "1,234", 1234),
        ("integer", 5.0, 5),
        ("integer", 7, 7),
        ("decimal", "12.50", "12.50"),
        ("decimal", 12.5, "12.5"),
        ("price", "£51.77", ("51.77", "£")),
        ("price", 20, ("20", None)),
        ("boolean", " Yes ", True),
        ("boolean", "0", False),
        ("boolean", True, True),
        ("url", " /a.html ", "abs:/a.html"),
        ("json", '{"a": [1]}', {"a": [1]}),
        ("json", [1], [1]),
        ("integer", -(2**63), -(2**63)),
        ("integer", str(2**63 - 1), 2**63 - 1),
        ("date", "2026-03-01", "2026-03-01"),
    ],
)
def test_a_value_has_the_type_of_its_field(kind: str, raw: Any, value: Any) -> None:
    assert read(raw, type=kind) == (value, [])


@pytest.mark.parametrize(
    ("kind", "raw", "what"),
    [
        ("integer", 5.5, "5.5 is not a whole number"),
        ("integer", True, "true is not a whole number"),
        ("decimal", False, "false is not a number"),
        ("boolean", "maybe", "'maybe' is neither true nor false"),
        ("url", "JavaScript:void(0)", "'JavaScript:void(0)' is not an address"),
        ("json", "{", "'{' is not JSON"),
        ("json", "[" * 100_000 + "]" * 100_000, "'[[["),
        ("json", "[99999999999999999999]", "it holds a whole number of more than 64 bits"),
        ("json", {"id": -(2**63) - 1}, "it holds a whole number of more than 64 bits"),
        ("integer", "9780306406157 9780306406158", "'9780306406157 9780306406158' holds 2 numbers"),
        ("integer", "99999999999999999999", "99999999999999999999 needs more than 64 bits"),
        ("integer", -(2**63) - 1, "-9223372036854775809 needs more than 64 bits"),
        ("integer", "9" * 5000, f"'{'9' * 30}…' is a number of more than 1,000 digits"),
    ],
)
def test_what_cannot_be_converted_is_missing_and_reported(kind: str, raw: Any, what: str) -> None:
    value, (reported,) = read(raw, type=kind)
    assert value is None
    assert reported.startswith(what)


@pytest.mark.parametrize("raw", [None, "", " \n\t"])
def test_nothing_is_missing_without_a_report(raw: str | None) -> None:
    assert read(raw, type="integer") == (None, [])
    assert read(type="integer") == (None, [])


def test_a_text_is_edited_by_regex_replace_and_map_in_this_order() -> None:
    field = {"regex": r"(\w+) left", "replace": (("o", "0"),), "map": {"tw0": "2"}, "type": "integer"}
    assert read("only two left", **field) == (2, [])
    assert read("none", **field) == (None, [])
    assert read("three left", **field) == (None, ["'three' is not in `map`"])
    assert read("abc", replace=(("abc", "  "),)) == (None, [])


def test_a_pattern_matches_letters_of_all_languages() -> None:
    assert read("12 Äpfel", regex=r"\d+ (\w+)") == ("Äpfel", [])


def test_of_several_values_the_first_counts_unless_the_field_is_a_list() -> None:
    assert read("1", "2") == ("1", [])
    assert read("1", "x", " ", "3", type="integer", is_list=True)[0] == [1, 3]
    assert read("x", type="integer", is_list=True)[0] is None


def test_a_default_is_converted_as_what_is_read() -> None:
    def default(**field: Any) -> Any:
        return Conversion(FieldDef("f", **field), 1000).default(FACTS)

    assert default() is None
    assert default(default="1,000", type="integer") == 1000
    assert default(default="1", type="integer", is_list=True) == [1]
    with pytest.raises(ConvertError):
        default(default="x", type="integer")


def test_separators_are_those_of_the_language() -> None:
    assert read("1.234,5", type="decimal", locale="de") == ("1234.5", [])


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ({"regex": "("}, "("),
        ({"replace": (("[", ""),)}, "["),
        ({"locale": "klingon!", "type": "decimal"}, "klingon"),
        ({"formats": ("%Q",), "type": "date"}, "the format is wrong"),
    ],
)
def test_a_wrong_field_is_named_when_it_is_compiled(field: dict[str, Any], what: str) -> None:
    with pytest.raises(ParseError) as raised:
        Conversion(FieldDef("f", **field), 1000)
    assert what in str(raised.value)


def test_a_text_without_edits_is_its_own_value() -> None:
    assert Conversion(FieldDef("f"), 1000).is_plain
    for field in ({"regex": "a"}, {"map": {"a": "b"}}, {"type": "integer"}, {"is_list": True}):
        assert not Conversion(FieldDef("f", **field), 1000).is_plain


def test_the_same_text_is_converted_once_and_what_is_remembered_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conversion, "MOST_KNOWN", 3)
    converted: list[str] = []

    def counted(text: str, separators: object) -> int:
        converted.append(text)
        return int(text)

    monkeypatch.setattr(conversion, "integer_of", counted)
    made = Conversion(FieldDef("f", type="integer"), 1000)
    assert [made.value([text], FACTS, []) for text in "112341"] == [1, 1, 2, 3, 4, 1]
    assert converted == ["1", "2", "3", "4", "1"]


def test_dates_are_read_again_for_another_day_as_they_may_be_relative() -> None:
    made = Conversion(FieldDef("f", type="date"), 1000)
    later = PageFacts(FACTS.locator, FACTS.url, NOW.replace(day=9))
    assert [made.value(["yesterday"], facts, []) for facts in (FACTS, later, FACTS)] == [
        "2026-03-01",
        "2026-03-08",
        "2026-03-01",
    ]


def test_a_value_that_is_no_text_is_shown_as_json() -> None:
    assert [text_of_raw(raw) for raw in ("a", 1, True, None, ["x"])] == ["a", "1", "true", "null", '["x"]']
