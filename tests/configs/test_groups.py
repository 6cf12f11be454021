"""Groups take their values from the settings, and have the registry's defaults."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from scoopi.configs import groups
from scoopi.configs.configs import Configs
from scoopi.configs.groups import BrowserSettings
from scoopi.configs.machine import cores

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
    groups.MetricsSettings,
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


def test_workers_are_the_cores_or_the_number() -> None:
    assert groups.WorkerSettings.of(DEFAULTS) == groups.WorkerSettings(cores(), 32)
    assert groups.WorkerSettings.of(Configs.from_composed({"scoopi.workers": "0"})).workers == 0


def test_the_limit_of_a_task_allows_for_its_scripts_and_0_is_none() -> None:
    assert groups.TaskLimit.of(DEFAULTS) == groups.TaskLimit() == groups.TaskLimit(61.0)
    configs = Configs.from_composed({"scoopi.task.timeout": "2", "scoopi.script.timeout": "500"})
    assert groups.TaskLimit.of(configs).limit_s == 2.5
    assert groups.TaskLimit.of(Configs.from_composed({"scoopi.task.timeout": "0"})).limit_s == math.inf


def test_a_blank_fact_stays_when_replacing_is_off() -> None:
    configs = Configs.from_composed({"scoopi.fact.blank.replace": "false"})
    assert groups.FactSettings.of(configs).blank_replacement is None


def test_the_web_client_takes_its_name_and_limits() -> None:
    client = groups.WebClientSettings.of(DEFAULTS)
    assert client == groups.WebClientSettings(DEFAULTS.text("scoopi.webClient.userAgent"))
    configs = Configs.from_composed(
        {
            "scoopi.webClient.timeout": "1",
            "scoopi.webClient.connectTimeout": "2",
            "scoopi.webClient.maxRedirects": "3",
            "scoopi.loader.maxBytes": "4",
        }
    )
    client = groups.WebClientSettings.of(configs)
    assert (client.timeout_ms, client.connect_timeout_ms, client.max_redirects, client.max_bytes) == (
        1,
        2,
        3,
        4,
    )


def test_the_archive_is_taken_from_the_current_folder_of_the_run() -> None:
    archive = groups.ArchiveSettings.of(DEFAULTS, Path("/run"))
    assert archive == groups.ArchiveSettings("auto", Path("/run/data"))


def test_firefox_has_its_own_programs_unless_others_are_given() -> None:
    assert BrowserSettings(browser="firefox").with_firefox().binary == "/usr/bin/firefox-esr"
    given = BrowserSettings(browser="firefox", binary="/opt/firefox", driver="/opt/geckodriver")
    assert given.with_firefox() == given
