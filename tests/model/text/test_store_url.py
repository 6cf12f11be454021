"""StoreUrl: names a store, and never shows a password."""

from __future__ import annotations

import pytest

from scoopi.errors import UsageError
from scoopi.model.text.store_url import StoreKind, parse_store_url


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://h/d", "postgresql://h/d"),
        ("postgres://u@h:5/d", "postgresql://u@h:5/d"),
        ("postgresql://u:s3cret@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:p@s3cret@h/d", "postgresql://u:***@h/d"),
        ("postgresql://h/d?password=s3cret&x=1", "postgresql://h/d?password=***&x=1"),
        ("postgresql://h/d?x=1&sslpassword=s3cret", "postgresql://h/d?x=1&sslpassword=***"),
        ("hazelcast://one:1,two:2/shop", "hazelcast://one:1,two:2/shop"),
    ],
)
def test_it_is_shown_without_its_password(text: str, shown: str) -> None:
    url = parse_store_url(text)
    assert url.shown == shown
    assert "s3cret" not in repr(url)


def test_messages_of_libraries_lose_the_password() -> None:
    url = parse_store_url("postgresql://u:s3%20cret@h/d")
    assert url.masked(f"cannot use {url.text}: s3 cret, s3%20cret, password=s3%20cret") == (
        "cannot use postgresql://u:***@h/d: ***, ***, password=***"
    )


def test_members_and_the_name_of_the_state() -> None:
    url = parse_store_url("hazelcast://one:5701,two:5701")
    assert (url.kind, url.hosts, url.name) == (StoreKind.HAZELCAST, "one:5701,two:5701", "scheduler")
    assert parse_store_url("hazelcast://one:5701/shop").name == "shop"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("scheduler", "--store scheduler names no store", "postgresql://user@host/database"),
        ("postgresq://u:s3cret@h/d", "--store postgresq://… names no store", "did you mean postgresql://"),
        ("mysql://u:s3cret@h/d", "--store mysql://… names no store", "hazelcast://host:5701"),
        ("postgresql://[h/d", "not a valid URL", "postgresql://user@host"),
        ("hazelcast:///shop", "names no members", "hazelcast://host:5701"),
        ("hazelcast://u:s3cret@h:1", "names no members", "scoopi.cluster"),
        ("hazelcast://h:1/a b", "'a b' is not a valid name", "a-z"),
    ],
)
def test_anything_else_is_an_error_with_a_hint(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_store_url(text)
    assert message in raised.value.what
    assert hint in raised.value.hint
    assert "s3cret" not in str(raised.value)
