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
