"""Addresses: what is written in a locator, and what is asked of which host."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoopi.errors import FetchError
from scoopi.fetch.address import (
    LONGEST_ADDRESS,
    Address,
    AddressKind,
    host_of,
    parse_address,
)
from scoopi.model.text.shown import shown


@pytest.mark.parametrize(
    ("written", "host", "url"),
    [
        ("http://example.org", "example.org:80", "http://example.org/"),
        ("https://example.org/a.html", "example.org:443", "https://example.org/a.html"),
        ("http://example.org?q=1", "example.org:80", "http://example.org/?q=1"),
        ("HTTP://EXAMPLE.org:8080/A", "example.org:8080", "http://example.org:8080/A"),
        ("http://example.org:80/a", "example.org:80", "http://example.org/a"),
        ("http://example.org:/a", "example.org:80", "http://example.org/a"),
        ("http://example.org/a#b", "example.org:80", "http://example.org/a#b"),
        ("  http://example.org/a\tb\nc ", "example.org:80", "http://example.org/abc"),
        ("http:example.org/a", "example.org:80", "http://example.org/a"),
        ("http:\\\\example.org\\a?b\\c", "example.org:80", "http://example.org/a?b\\c"),
        (
            'http://example.org/a b"<>^`{}ü',
            "example.org:80",
            "http://example.org/a%20b%22%3C%3E%5E%60%7B%7D%C3%BC",
        ),
        (
            "http://example.org/?a b'\"<>ü|^",
            "example.org:80",
            "http://example.org/?a%20b%27%22%3C%3E%C3%BC|^",
        ),
        ("http://example.org/100%/%41", "example.org:80", "http://example.org/100%/%41"),
        ("http://example.org/[x]|y", "example.org:80", "http://example.org/[x]|y"),
        ("http://Käse.example/", "xn--kse-qla.example:80", "http://xn--kse-qla.example/"),
        ("http://straße.example/", "xn--strae-oqa.example:80", "http://xn--strae-oqa.example/"),
        ("http://例え。テスト/", "xn--r8jz45g.xn--zckzah:80", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://ｅｘａｍｐｌｅ.org/", "example.org:80", "http://example.org/"),
        ("http://example\u2024org/", "example.org:80", "http://example.org/"),
        ("http://ex%61mple.org/", "example.org:80", "http://example.org/"),
        ("http://me:pass@example.org/a", "example.org:80", "http://me:pass@example.org/a"),
        ("http://a@b@example.org/", "example.org:80", "http://a%40b@example.org/"),
        ("http://[2001:DB8::1]:81/a", "[2001:db8::1]:81", "http://[2001:db8::1]:81/a"),
        ("http://127.0.0.1:5000/x", "127.0.0.1:5000", "http://127.0.0.1:5000/x"),
        ("http://my_host.example/", "my_host.example:80", "http://my_host.example/"),
        ("http:///example.org/a", "example.org:80", "http://example.org/a"),
        ("http://example.org/a/../b/./c", "example.org:80", "http://example.org/b/c"),
        ("http://example.org/a/%2E%2e/b/%2e/.%2E/c", "example.org:80", "http://example.org/c"),
        ("http://example.org/../../a/..", "example.org:80", "http://example.org/"),
        ("http://example.org/a/.?b=/../c#/./d", "example.org:80", "http://example.org/a/?b=/../c#/./d"),
        ("http://example.org/a//../b/...", "example.org:80", "http://example.org/a/b/..."),
        ("http://example.org/.well-known/x..y", "example.org:80", "http://example.org/.well-known/x..y"),
    ],
)
def test_a_web_address_is_read_as_browsers_do(written: str, host: str, url: str) -> None:
    assert parse_address(written) == Address(AddressKind.HTTP, host, url)


@pytest.mark.parametrize(
    "written", ["/defs/a.html", "a.html", "../a b.html", "file:///a.html", "./a:b.html", "dir/a:b", "a?b#c"]
)
def test_a_path_and_a_file_url_are_files(written: str) -> None:
    assert parse_address(written) == Address(AddressKind.FILE, "file", written)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "address is empty"),
        (" \n", "address is empty"),
        ("ftp://example.org/", "cannot be loaded by ftp:"),
        ("javascript:alert(1)", "cannot be loaded by javascript:"),
        ("mailto:a@b.org", "cannot be loaded by mailto:"),
        ("http://", "no valid host"),
        ("http:///", "no valid host"),
        ("http://?q", "no valid host"),
        ("http://:80/", "no valid host"),
        ("http://example.org:http/", "the port 'http' is not a number"),
        ("http://h:8732:99/x", "the port '8732:99' is not a number"),
        ("http://me:word@[::1]:x/", "the port 'x' is not a number"),
        (f"http://h:{'9' * 5000}/", "above 65535"),
        ("http://[::1/", "no valid host"),
        ("http://example.org:65536/", "above 65535"),
        ("http://a b.org/", "is not allowed in a host name"),
        ("http://a%2Fb.org/", "is not allowed in a host name"),
        ("http://a..org/", "is empty"),
        ("http://a\u2025org/", "is empty"),
        (f"http://{'a' * 64}.org/", "longer than 63"),
    ],
)
def test_an_address_that_cannot_be_asked_is_an_error(written: str, message: str) -> None:
    with pytest.raises(FetchError, match=message):
        parse_address(written)


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("HTTP://Shop.example/a", "shop.example:80"),
        ("a.html", "file"),
        ("http://", "file"),
        ("ftp://h/", "file"),
    ],
)
def test_an_address_that_cannot_be_asked_needs_no_grant(written: str, host: str) -> None:
    assert host_of(written) == host


@given(st.text())
@example("http://a..b")
@example("\ud800")
@example("http://h/\ud800")
def test_any_text_is_an_address_or_a_fetch_error(text: str) -> None:
    for written in (text, f"http://h/{text}", f"http://{text}"):
        try:
            address = parse_address(written)
        except FetchError:
            continue
        if address.kind is AddressKind.HTTP:
            assert address.url.isascii()
            assert " " not in address.url
            assert parse_address(address.url) == address


def test_messages_show_no_password_and_no_endless_address() -> None:
    assert shown("https://me:pa:ss@h/x") == "https://me:***@h/x"
    assert shown("https://h/x:y@z") == "https://h/x:y@z"
    assert len(shown("http://h/" + "x" * 9000)) < 600


@pytest.mark.parametrize("begin", ["http://h/", "/", "file:///", "x:"])
def test_an_address_is_of_bounded_length(begin: str) -> None:
    longest = "http://h/".ljust(LONGEST_ADDRESS, "a")
    assert parse_address(longest).url == longest
    with pytest.raises(FetchError, match=r"the address has 65,537 characters") as caught:
        parse_address(begin.ljust(LONGEST_ADDRESS + 1, "a"))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("written", "url", "host"),
    [
        ("http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1:80"),
        ("http://2130706433/", "http://127.0.0.1/", "127.0.0.1:80"),
        ("http://0177.0.0.01/", "http://127.0.0.1/", "127.0.0.1:80"),
        ("http://127.0.0.1./x", "http://127.0.0.1/x", "127.0.0.1:80"),
        ("http://127.1:8080/", "http://127.0.0.1:8080/", "127.0.0.1:8080"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/", "127.0.0.1:80"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "127.0.0.1:80"),
        ("http://[0:0::0:1]:81/", "http://[::1]:81/", "[::1]:81"),
        ("http://A.Example./x", "http://a.example./x", "a.example:80"),
        ("https://a.example:443/", "https://a.example/", "a.example:443"),
        ("http://Bücher.example./", "http://xn--bcher-kva.example./", "xn--bcher-kva.example:80"),
        ("http://1.example/", "http://1.example/", "1.example:80"),
        ("http://example.1a/", "http://example.1a/", "example.1a:80"),
    ],
)
def test_all_spellings_of_a_host_are_one_host(written: str, url: str, host: str) -> None:
    address = parse_address(written)
    assert (address.url, address.host) == (url, host)


@pytest.mark.parametrize("host", ["1.2.3.4.5", "256.0.0.1", "a.0x", "example.1", "[1::2::3]"])
def test_a_name_that_ends_in_a_number_is_an_ip_address_or_wrong(host: str) -> None:
    with pytest.raises(FetchError):
        parse_address(f"http://{host}/")
