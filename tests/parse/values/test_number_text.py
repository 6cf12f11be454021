"""Numbers in texts of pages, whichever way their language writes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoopi.errors import ConvertError
from scoopi.parse.values.number_text import COMMA, POINT, Separators, decimal_of, integer_of, separators_of


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.234,50", "1234.50"),
        ("1,234.50", "1234.50"),
        ("1 234,5", "1234.5"),
        ("1'234.50", "1234.50"),
        ("1\u202f234\u202f567", "1234567"),
        ("1.234.567", "1234567"),
        ("EUR 12,50", "12.50"),
        ("\u22124,5 °C", "-4.5"),
        ("0.234", "0.234"),
        ("1.5e3", "1500"),
        ("٣", "3"),
        ("007", "7"),
    ],
)
def test_the_format_of_a_decimal_is_inferred_from_its_text(text: str, number: str) -> None:
    assert decimal_of(text) == number


@pytest.mark.parametrize("text", ["1.234", "1,234"])
def test_a_decimal_that_may_be_two_numbers_is_not_guessed(text: str) -> None:
    with pytest.raises(ConvertError, match=r"may mean 1234 or 1\.234.*locale"):
        decimal_of(text)


def test_a_locale_decides_what_a_separator_is() -> None:
    assert decimal_of("1.234", COMMA) == "1234"
    assert decimal_of("1.234", POINT) == "1.234"
    assert decimal_of("1,234", COMMA) == "1.234"


@pytest.mark.parametrize(
    "text",
    [
        *("no", "3 of 10", "2026-03-01", "1.23.4", "12,34.5,6", "1e999999999", "1.2.3,4"),
        *("4.5 120 reviews", "4,5 120", "12.5'000", "9,\u0663\u066c3"),
    ],
)
@pytest.mark.parametrize("separators", [None, COMMA, POINT])
def test_a_text_without_exactly_one_number_is_not_a_decimal(text: str, separators: Separators | None) -> None:
    with pytest.raises(ConvertError):
        decimal_of(text, separators)


@pytest.mark.parametrize("convert", [decimal_of, integer_of])
@pytest.mark.parametrize("text", ["9" * 1001, f"-{'9' * 1001}", "1." * 600, "\u0663" * 1001])
def test_a_number_of_more_than_a_thousand_digits_is_none(convert: Callable[[str], object], text: str) -> None:
    with pytest.raises(ConvertError):
        convert(text)


def test_a_number_of_a_thousand_digits_is_read() -> None:
    assert (decimal_of("9" * 1000), integer_of("9" * 1000)) == ("9" * 1000, 10**1000 - 1)


@pytest.mark.parametrize(
    ("text", "number"), [("In stock (22 left)", 22), ("1.234", 1234), ("1,234", 1234), ("5.0", 5), ("-3", -3)]
)
def test_an_integer_is_the_only_number_of_a_text(text: str, number: int) -> None:
    assert integer_of(text) == number


@pytest.mark.parametrize("text", ["1.5", "0.234", "12,50", "1 of 2", ""])
def test_a_number_with_decimals_is_not_an_integer(text: str) -> None:
    with pytest.raises(ConvertError):
        integer_of(text)


def test_separators_are_those_of_the_language_and_its_region() -> None:
    assert [separators_of(name) for name in ("de", "de-CH", "en_US", "pt-BR")] == [COMMA, POINT, POINT, COMMA]
    with pytest.raises(ValueError, match="not known"):
        separators_of("klingon")
