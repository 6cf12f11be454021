"""Texts with placeholders, and what is put in their place."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.model.text.text_template import TextTemplate, address_template, placeholders


def test_placeholders_are_filled_and_doubled_marks_are_not() -> None:
    template = TextTemplate("%{ a }-%%{a}-%{a}%{b}")
    assert template.filled({"a": "1", "b": "%{a}"}) == "1-%{a}-1%{a}"


@pytest.mark.parametrize(
    ("url", "value", "filled"),
    [
        ("%{x}/p", "http://a/?q=1", "http://a/?q=1/p"),
        ("https://%{x}.example/p", "oslo", "https://oslo.example/p"),
        ("https://a/%{x}", "b c/d?e#f", "https://a/b%20c/d%3Fe%23f"),
        ("https://a/s?q=%{x}", "a&b=c d", "https://a/s?q=a%26b%3Dc+d"),
        ("https://a/s?q=1#%{x}", "a b", "https://a/s?q=1#a+b"),
        ("pages/%{x}.html", "a b?", "pages/a b?.html"),
        ("file:///p/%{x}", "ä", "file:///p/ä"),
    ],
)
def test_a_value_is_encoded_as_its_place_in_the_address_needs_it(url: str, value: str, filled: str) -> None:
    assert address_template(url).filled({"x": value}) == filled


@given(st.text())
def test_a_server_reads_the_value_that_was_given(value: str) -> None:
    if any(0xD800 <= ord(each) <= 0xDFFF for each in value):
        return
    parts = urlsplit(address_template("https://a/p/%{x}/end?q=%{x}&r=1").filled({"x": value}))
    assert parse_qs(parts.query, keep_blank_values=True) == {"q": [value], "r": ["1"]}
    assert unquote(parts.path) == f"/p/{value}/end"


def test_an_escaped_placeholder_is_none() -> None:
    assert placeholders("%%{a} %{b}") == ["b"]
