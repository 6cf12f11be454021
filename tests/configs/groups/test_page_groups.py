"""Settings for pages: limits, the web client, facts and the archive."""

from __future__ import annotations

import math
from pathlib import Path

from scoopi.configs import groups
from scoopi.configs.configs import Configs

DEFAULTS = Configs.from_composed({})


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
