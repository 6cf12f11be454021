"""A field of a group declares its setting: key, kind, default, range and help stand in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from scoopi.configs.configs import Configs
from scoopi.configs.groups import FetchLimits
from scoopi.configs.registry import SETTINGS_BY_KEY
from scoopi.configs.setting import NODE, RUN, Group, Setting, SettingKey, SettingKind, declared, read_value
from scoopi.errors import ConfigError


class Sample(Group, frozen=True):
    count: Annotated[int, SettingKey("scoopi.count", RUN, "How many.", unit="ms", least=1, most=9)] = 3
    is_on: Annotated[bool, SettingKey("scoopi.on", NODE, "Whether.")] = False
    mode: Annotated[Literal["a", "b"], SettingKey("scoopi.mode", NODE, "Which.")] = "a"
    derived: float = 1.5


@dataclass(frozen=True, slots=True)
class Parsed:
    names: Annotated[
        tuple[str, ...], SettingKey("scoopi.names", NODE, "Who.", kind=SettingKind.TEXT, default=None)
    ]
    file: Annotated[Path | None, SettingKey("scoopi.file", NODE, "Where.", kind=SettingKind.PATH)] = None


def test_a_field_gives_its_setting_the_type_default_and_choices() -> None:
    assert dict(declared(Sample)) == {
        "count": Setting("scoopi.count", SettingKind.INT, "3", RUN, "How many.", "ms", 1, 9),
        "is_on": Setting("scoopi.on", SettingKind.BOOL, "false", NODE, "Whether."),
        "mode": Setting("scoopi.mode", SettingKind.CHOICE, "a", NODE, "Which.", choices=("a", "b")),
    }


def test_a_key_may_state_another_kind_and_default_than_its_field() -> None:
    assert [(setting.kind, setting.default) for setting in declared(Parsed).values()] == [
        (SettingKind.TEXT, None),
        (SettingKind.PATH, None),
    ]


@pytest.mark.parametrize(("text", "expected"), [("7", 7), ("1000", 1000)])
def test_a_group_takes_the_effective_values(text: str, expected: int) -> None:
    assert (
        FetchLimits.of(Configs.from_composed({"scoopi.loader.fetch.parallelism": text})).parallelism
        == expected
    )


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
def test_a_bad_value_is_reported_with_key_value_and_default(key: str, text: str, needs: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(key, text)
    assert caught.value.at == "here"
    assert f"{key} needs" in caught.value.what
    assert needs in caught.value.what
    assert repr(text) in caught.value.what
    assert str(SETTINGS_BY_KEY[key].default) in caught.value.hint
