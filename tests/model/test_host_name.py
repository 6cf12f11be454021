"""Host names: what is looked up for a name as written."""

from __future__ import annotations

import pytest

from scoopi.model.text.host_name import LONGEST_LABEL, ascii_host


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Shop.EXAMPLE", "shop.example"),
        ("shop.example.", "shop.example."),
        ("Käse.example", "xn--kse-qla.example"),
        ("straße.example", "xn--strae-oqa.example"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("ｓｈｏｐ．example", "shop.example"),
        ("sh\u00adop.\u200bexample", "shop.example"),
        ("\u2122.example", "tm.example"),
        ("[2001:DB8::1]", "[2001:db8::1]"),
    ],
)
def test_a_name_is_folded_as_in_browsers(written: str, name: str) -> None:
    assert ascii_host(written) == name


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("a b", "' ' is not allowed"),
        ("a\uff0fb", "'/' is not allowed"),
        ("a..b", "between dots is empty"),
        (".", "between dots is empty"),
        ("a" * (LONGEST_LABEL + 1), "longer than 63"),
        ("ä" * LONGEST_LABEL, "longer than 63"),
    ],
)
def test_what_cannot_be_looked_up_is_an_error(written: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ascii_host(written)
