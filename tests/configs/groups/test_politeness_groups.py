"""Settings for politeness: each reaches the field of its own."""

from __future__ import annotations

from scoopi.configs import groups
from scoopi.configs.configs import Configs


def test_each_value_reaches_the_field_of_its_own() -> None:
    given = {
        "scoopi.loader.robots": "false",
        "scoopi.loader.fetch.errorDelay": "1",
        "scoopi.loader.fetch.hostTimeout": "2",
        "scoopi.loader.fetch.longestSleep": "3",
    }
    made = groups.PolitenessSettings.of(Configs.from_composed(given))
    assert made == groups.PolitenessSettings(False, 1, 2, 3)


def test_the_limits_of_the_settings_are_the_same_for_each_host() -> None:
    limits = groups.FetchLimits(parallelism=3, delay_ms=500)
    assert limits.for_host("one.example:80") == limits
