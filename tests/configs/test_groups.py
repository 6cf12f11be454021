"""Groups take their values from the settings, and have the registry's defaults."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import fields

from scoopi.configs import groups
from scoopi.configs.configs import Configs

DEFAULTS = Configs.from_composed({})
PLAIN = [
    groups.FetchLimits,
    groups.FactSettings,
    groups.ParserLimits,
    groups.ScriptLimits,
    groups.AppenderSettings,
    groups.JobSettings,
    groups.EngineSettings,
    groups.OutputSettings,
    groups.QuerySettings,
    groups.MetricsSettings,
    groups.BudgetSettings,
    groups.PolitenessSettings,
    groups.RetrySettings,
]


@pytest.mark.parametrize("group", PLAIN, ids=lambda group: group.__name__)
def test_a_group_has_the_defaults_of_the_registry(group: Any) -> None:
    assert group.of(DEFAULTS) == group()


def test_each_number_reaches_the_field_of_its_own() -> None:
    keys: dict[Any, list[str]] = {
        groups.FetchLimits: ["scoopi.loader.fetch.parallelism", "scoopi.loader.fetch.delay"],
        groups.ParserLimits: [
            "scoopi.parser.maxRows",
            "scoopi.parser.maxDepth",
            "scoopi.parser.maxNodes",
            "scoopi.regex.timeout",
            "scoopi.link.maxDepth",
        ],
        groups.ScriptLimits: ["scoopi.script.timeout", "scoopi.script.memory"],
        groups.AppenderSettings: ["scoopi.appender.commitInterval", "scoopi.appender.queueSize"],
        groups.JobSettings: ["scoopi.job.maxCrashes", "scoopi.job.maxTakes", "scoopi.job.prefetch"],
        groups.EngineSettings: ["scoopi.monitor.timerPeriod", "scoopi.shutdown.timeout"],
    }
    for group, names in keys.items():
        configs = Configs.from_composed({key: str(41 + place) for place, key in enumerate(names)})
        made = group.of(configs)
        assert [getattr(made, field.name) for field in fields(group)] == [
            41 + place for place in range(len(names))
        ]
