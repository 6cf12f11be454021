"""Host names: what is looked up for a name as written."""

from __future__ import annotations

import pytest

from scoopi.model.text.host_name import LONGEST_LABEL, ascii_host, host_pattern


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


@pytest.mark.parametrize(
    ("written", "pattern"),
    [
        ("Shop.Example.", "shop.example"),
        ("*.shop.example.:81", "*.shop.example:81"),
        ("0x7f.1", "127.0.0.1"),
        ("127.*", "127.*"),
        ("[2001:DB8:0::1]:443", "[2001:db8::1]:443"),
        ("[2001:db8:*]", "[2001:db8:*]"),
        ("*", "*"),
    ],
)
def test_a_pattern_is_written_as_the_hosts_that_it_is_compared_with(written: str, pattern: str) -> None:
    assert host_pattern(written) == pattern


@pytest.mark.parametrize(
    "written", ["http://a", "a:x", "1.2.3.400", "a..b", "[::g]", "a:99999", "*.", "**", "*.*:80"]
)
def test_what_is_no_host_is_no_pattern(written: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        host_pattern(written)
