"""The registry keeps its own rules."""

from __future__ import annotations

import pytest

from scoopi.configs.registry import SETTINGS
from scoopi.configs.setting import Setting, SettingKind, read_value


def test_every_key_and_every_environment_name_is_there_once() -> None:
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)
    assert len({setting.environment for setting in SETTINGS}) == len(SETTINGS)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_setting_keeps_its_own_rules(setting: Setting) -> None:
    assert setting.key.startswith("scoopi.")
    assert setting.sentence.endswith(".")
    assert bool(setting.choices) == (setting.kind is SettingKind.CHOICE)
    if setting.default is not None:
        assert read_value(setting, setting.default, shown="", at="") == setting.default
