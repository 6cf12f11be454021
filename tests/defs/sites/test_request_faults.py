"""Texts that cannot be sent, or that are credentials in plain text, are found before the run."""

from __future__ import annotations

import pytest

from scoopi.defs.sites.request_faults import cookie_fault, header_fault, proxy_fault, secret_fault


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("Accept-Language", "de", ""),
        ("X_a.b-1", "", ""),
        ("", "x", "'' is not the name of a header"),
        ("X Token", "x", "'X Token' is not the name of a header"),
        ("Größe", "x", "'Größe' is not the name of a header"),
        ("HOST", "x", "the header HOST is set by Scoopi for each request"),
        ("X-A", "a\r\nb", "the header X-A has a line break, or a NUL character"),
        ("X-A", "a\0", "the header X-A has a line break, or a NUL character"),
    ],
)
def test_a_header_that_cannot_be_sent_has_a_reason(name: str, text: str, fault: str) -> None:
    assert header_fault(name, text) == fault


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("seen", "1", ""),
        ("seen", "${env:SEEN}", ""),
        ("", "1", "'' is not the name of a cookie"),
        ("a=b", "1", "'a=b' is not the name of a cookie"),
        ("a;b", "1", "'a;b' is not the name of a cookie"),
        ("seen", "1; b", "the cookie seen has a character that cookies cannot have"),
    ],
)
def test_a_cookie_that_cannot_be_sent_has_a_reason(name: str, text: str, fault: str) -> None:
    assert cookie_fault(name, text) == fault


@pytest.mark.parametrize(
    "text",
    ["direct", "http://proxy.example:3128", "socks5h://[::1]:1080/", "${env:PROXY}", "http://a:65535"],
)
def test_addresses_of_proxies(text: str) -> None:
    assert proxy_fault(text) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("proxy.example:3128", "proxy.example:3128 is not the address of a proxy"),
        ("http://a:65536", "http://a:65536 is not the address of a proxy"),
        ("http://u:p@a:1", "the proxy contains a login in plain text"),
        ("http://${env:PROXY}:1", "${env:…} must be the whole value of a proxy"),
    ],
)
def test_what_is_no_address_of_a_proxy(text: str, what: str) -> None:
    fault = proxy_fault(text)
    assert fault is not None
    assert (fault.what, fault.is_secret) == (what, "@" in text)


def test_a_credential_is_known_by_its_name_its_form_or_its_use() -> None:
    assert secret_fault("header", "Accept", "text/html") is None
    assert secret_fault("header", "Authorization", "${env:TOKEN}") is None
    assert secret_fault("header", "Authorization", "") is None
    named = secret_fault("header", "Authorization", "abc")
    formed = secret_fault("parameter", "q", "0123456789abcdef0123456789abcdef")
    used = secret_fault("value", "bearer", "abc", always=True)
    for fault in (named, formed, used):
        assert fault is not None
        assert fault.is_secret
    assert named is not None
    assert named.hint == "set it in the environment, and write ${env:AUTHORIZATION}"
    assert secret_fault("parameter", "q", "0123456789abcdef0123456789abcde") is None
    partly = secret_fault("header", "X-Id", "Bearer ${env:T}")
    assert partly is not None
    assert not partly.is_secret
