"""Given: variables of the environment give settings, and stand in values."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.configs.given import Given, as_texts, expand, near_setting, read_environment
from scoopi.errors import ConfigError
from scoopi.model.text.secrets import MASK


def test_a_variable_gives_its_setting_and_names_where_it_is() -> None:
    given, faults = read_environment({"SCOOPI_JOB_MAXTAKES": "7", "HOME": "/root"})
    at = "environment SCOOPI_JOB_MAXTAKES"
    assert (given, faults) == ([Given("scoopi.job.maxTakes", "7", at, at)], [])


def test_an_unknown_variable_is_a_fault_unless_kubernetes_or_scoopi_sets_it() -> None:
    environ = {
        "SCOOPI_JOB_MAXTAKE": "7",
        "SCOOPI_SERVICE_HOST": "10.0.0.1",
        "SCOOPI_MEMBER_PORT_5701_TCP_ADDR": "10.0.0.1",
        "SCOOPI_PORT": "tcp://10.0.0.1:5701",
        "SCOOPI_ATTEMPT": "a/1/1",
    }
    given, (fault,) = read_environment(environ)
    assert given == []
    assert (fault.what, fault.at) == ("no setting has this name", "environment SCOOPI_JOB_MAXTAKE")
    assert fault.hint == "did you mean SCOOPI_JOB_MAXTAKES?"
    assert read_environment({"SCOOPI_PORT": "8080"})[1], "no address of Kubernetes"


def test_a_reference_is_replaced_once_and_masked_where_it_is_shown() -> None:
    expanded = expand("a-${env:KEY}-b", {"KEY": "${env:OTHER}"}, "here")
    assert expanded == ("a-${env:OTHER}-b", f"a-{MASK}-b")


@pytest.mark.parametrize(
    ("written", "fault"), [("${env:GONE}", "GONE is not set"), ("${env:1x}", "names no environment variable")]
)
def test_a_reference_that_leads_nowhere_is_an_error(written: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault) as raised:
        expand(written, {}, "conf.yml:3")
    assert raised.value.at == "conf.yml:3"


def test_settings_of_a_program_are_texts_numbers_or_booleans() -> None:
    given: dict[str, Any] = {"a": 1, "b": 2.0, "c": 2.5, "d": False, "e": " x "}
    assert as_texts(given) == {"a": "1", "b": "2", "c": "2.5", "d": "false", "e": " x "}
    bad: Any = {"a": None}
    with pytest.raises(ConfigError, match="None is not a value for a setting"):
        as_texts(bad)


def test_the_hint_for_an_unlike_name_says_where_all_are() -> None:
    assert near_setting("x" * 30, ["scoopi.a"]) == "see scoopi config for all settings"
