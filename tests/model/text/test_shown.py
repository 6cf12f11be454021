"""Messages show addresses without logins, whatever is wrong with them."""

from __future__ import annotations

import os

import pytest

from scoopi.model.text.shown import (
    LONGEST_SHOWN_ADDRESS,
    as_utf8,
    nearest,
    shown,
    with_login_of,
    without_login,
    without_logins,
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://host/a@b", "http://host/a@b"),
        ("http://user:p@ss@host/a@b", "http://user:***@host/a@b"),
        ("http://token@host/", "http://***@host/"),
        ("http://us er:x@host/", "http://***@host/"),
        ("http://user:p/ss@host/", "http://***@host/"),
        ("HTTPS:user:p@host", "HTTPS:user:***@host"),
        ("pages/a@b.html", "pages/a@b.html"),
        ("http://h/?q=1&api_key=a%3Db#top", "http://h/?q=1&api_key=***#top"),
        ("http://me:pw@h/?Access_Token=a$b;page=2", "http://me:***@h/?Access_Token=***;page=2"),
        ("/callback#access_token=x&state=1", "/callback#access_token=***&state=1"),
        (
            "http://h/?X-Amz-Signature=ab&X-Amz-Date=20260101",
            "http://h/?X-Amz-Signature=***&X-Amz-Date=20260101",
        ),
        ("http://h/?author=adams&key=name&pin=8&token=", "http://h/?author=adams&key=name&pin=8&token="),
        ("http://h/?token=${env:T}&secret=%{input.s}", "http://h/?token=${env:T}&secret=%{input.s}"),
    ],
)
def test_no_password_is_shown(url: str, expected: str) -> None:
    assert shown(url) == expected


def test_a_very_long_address_is_cut() -> None:
    assert shown("http://h/" + "a" * 10_000).endswith("…")
    assert len(shown("http://h/" + "a" * 10_000)) == LONGEST_SHOWN_ADDRESS + 1


def test_a_login_goes_with_its_own_host_only() -> None:
    assert without_login("http://u:p@host/a") == "http://host/a"
    assert with_login_of("http://host/b", "http://u:p@HOST/a") == "http://u:p@host/b"
    assert with_login_of("http://other/b", "http://u:p@host/a") == "http://other/b"
    assert with_login_of("http://host/b", "http://host/a") == "http://host/b"


def test_logins_in_messages_of_libraries_are_hidden() -> None:
    assert without_logins("no route to ftp://u:p@host/ today") == "no route to ftp://***@host/ today"
    assert without_logins("no 'http://h/?token=a&b=1' now") == "no 'http://h/?token=***&b=1' now"
    assert "p@ss" not in without_logins("bad address 'u:p@ss@host'")


def test_a_misspelt_name_is_recognized_whatever_its_case() -> None:
    assert nearest("LOCATORgroup", ["locatorGroups", "taskGroups"]) == "locatorGroups"
    assert nearest("xyz", ["locatorGroups"]) == ""


def test_bytes_of_a_name_that_are_not_utf_8_are_shown_as_escapes() -> None:
    assert as_utf8(os.fsdecode(b"caf\xe9 \xc3\xa9.yml")) == "caf\\udce9 é.yml"
