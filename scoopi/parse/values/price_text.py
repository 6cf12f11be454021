"""price_of: reads the amount and the currency of a price as pages write it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from scoopi.errors import ConvertError
from scoopi.parse.values.number_text import Separators

_PLAIN = re.compile(r"([£$€])(0|[1-9]\d{0,5})(\.\d\d)?", re.ASCII)
"""Most prices. The library reads them the same way, but takes a hundred times as long."""

_LONGEST = 1000
"""Longest text, in characters, that can be a price; the library takes the square of its length."""


class Price(NamedTuple):
    """An exact amount, such as `51.77`, and the currency as the page writes it; None if it has none."""

    amount: str
    currency: str | None


def price_of(text: str, separators: Separators | None = None) -> Price:
    """The price in a text.

    >>> price_of("£51.77"), price_of("1.299,00 EUR")
    (Price(amount='51.77', currency='£'), Price(amount='1299.00', currency='EUR'))

    Args:
        separators: those of the text's language; None to infer them from the text.
    Raises:
        ConvertError: the text holds no price, or is longer than 1,000 characters.
    """
    if len(text) > _LONGEST:
        raise ConvertError(f"{text[:100]!r}… is too long for a price: {len(text):,} characters")
    if separators is None and (plain := _PLAIN.fullmatch(text)):
        return Price(plain[2] + (plain[3] or ""), plain[1])
    from price_parser import Price as Parsed  # late: plain prices do not need it

    parsed: Any = Parsed.fromstring(
        text, decimal_separator=None if separators is None else separators.decimal
    )
    if parsed.amount is None:
        raise ConvertError(f"{text!r} is not a price")
    return Price(format(parsed.amount, "f"), parsed.currency or None)
