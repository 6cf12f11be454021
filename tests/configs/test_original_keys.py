"""Keys of the Java original are hints, never settings."""

from __future__ import annotations

import pytest

from scoopi.configs.original_keys import original_environment_key, original_note
from scoopi.configs.registry import SETTINGS
from scoopi.configs.setting import Setting


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_setting_is_no_key_of_the_original(setting: Setting) -> None:
    assert original_note(setting.key) is None
    assert original_environment_key(setting.environment) is None


@pytest.mark.parametrize(
    ("key", "variable", "note"),
    [
        ("scoopi.mode", "SCOOPI_MODE", "use --conf FILE"),
        ("scoopi.poolsize.parser", "SCOOPI_POOLSIZE_PARSER", "use scoopi.workers"),
    ],
)
def test_a_key_of_the_original_has_a_hint(key: str, variable: str, note: str) -> None:
    assert original_environment_key(variable) == key
    assert (original_note(key) or "").startswith(note)


@pytest.mark.parametrize("key", ["scoopi.poolsize.", "scoopi.unknown", "mode"])
def test_any_other_key_has_none(key: str) -> None:
    assert original_note(key) is None
    assert original_environment_key(key.upper().replace(".", "_")) is None
