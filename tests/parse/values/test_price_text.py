"""Prices as pages write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from price_parser import Price as Parsed

from scoopi.errors import ConvertError
from scoopi.parse.values.number_text import COMMA
from scoopi.parse.values.price_text import price_of


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("£51.77", "51.77", "£"),
        ("1.299,00 EUR", "1299.00", "EUR"),
        ("Price: $1,299.00", "1299.00", "$"),
        ("12", "12", None),
    ],
)
def test_a_price_has_an_exact_amount_and_the_currency_as_written(
    text: str, amount: str, currency: str | None
) -> None:
    assert price_of(text) == (amount, currency)


def test_a_text_of_over_a_thousand_characters_is_no_price() -> None:
    assert price_of("9 " * 499 + "$5").currency == "$"
    with pytest.raises(ConvertError, match=r"'999 999 .*'… is too long for a price: 400,000 characters"):
        price_of("999 " * 100_000)


def test_a_locale_decides_an_ambiguous_price() -> None:
    assert price_of("1.234 €", COMMA).amount == "1234"


def test_a_text_without_an_amount_is_not_a_price() -> None:
    with pytest.raises(ConvertError, match="'price on request' is not a price"):
        price_of("price on request")


@given(st.from_regex(r"[£$€](0|[1-9][0-9]{0,5})(\.[0-9][0-9])?", fullmatch=True))
def test_plain_prices_are_read_as_the_library_reads_them(text: str) -> None:
    parsed = Parsed.fromstring(text)
    assert price_of(text) == (format(parsed.amount, "f"), parsed.currency)
