"""A value is read by its key's kind, and a bad one is told with its hint."""

from __future__ import annotations

import pytest

from scoopi.configs.registry import SETTINGS_BY_KEY
from scoopi.configs.value_reader import read_value
from scoopi.errors import ConfigError


def read(key: str, text: str) -> str:
    return read_value(SETTINGS_BY_KEY[key], text, shown=text, at="here")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("scoopi.workers", " AUTO ", "auto"),
        ("scoopi.workers", "0", "0"),
        ("scoopi.workers", "256", "256"),
        ("scoopi.loader.fetch.delay", " 010 ", "10"),
        ("scoopi.loader.fetch.delay", "+250", "250"),
        ("scoopi.persist.data", "False", "false"),
        ("scoopi.datastore.enable", "Auto", "auto"),
        ("scoopi.output.durability", "shared", "shared"),
        ("scoopi.datastore.path", " a b/c ", "a b/c"),
        ("scoopi.fact.blank.replaceWith", "", ""),
        ("scoopi.fact.blank.replaceWith", " ~ ", " ~ "),
        ("scoopi.dateTimePattern", "dd-MM-yyyy HH:mm:ss", "dd-MM-yyyy HH:mm:ss"),
    ],
)
def test_a_good_value_takes_its_one_form(key: str, text: str, value: str) -> None:
    assert read(key, text) == value


@pytest.mark.parametrize(
    ("key", "text", "needs"),
    [
        ("scoopi.workers", "257", "auto or a whole number from 0 to 256"),
        ("scoopi.workers", "many", "auto or a whole number"),
        ("scoopi.loader.fetch.delay", "1s", "a whole number from 0 to 86400000 (ms)"),
        ("scoopi.loader.fetch.delay", "1_000", "a whole number"),
        ("scoopi.loader.fetch.delay", "٣", "a whole number"),
        ("scoopi.loader.fetch.delay", "9" * 40, "a whole number"),
        ("scoopi.loader.fetch.delay", "-1", "a whole number from 0"),
        ("scoopi.loader.fetch.delay", "", "a whole number"),
        ("scoopi.loader.fetch.parallelism", "0", "a whole number from 1"),
        ("scoopi.persist.data", "yes", "true or false"),
        ("scoopi.persist.data", "1", "true or false"),
        ("scoopi.datastore.enable", "on", "auto or true or false"),
        ("scoopi.datastore.path", "  ", "a path"),
        ("scoopi.webClient.userAgent", "a\r\nCookie: b", "without line breaks"),
        ("scoopi.dateTimePattern", "yyyy-'open", "a date pattern"),
    ],
)
def test_a_bad_value_is_told_with_key_value_and_default(key: str, text: str, needs: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(key, text)
    assert caught.value.at == "here"
    assert f"{key} needs" in caught.value.what
    assert needs in caught.value.what
    assert repr(text) in caught.value.what
    assert str(SETTINGS_BY_KEY[key].default) in caught.value.hint
