"""Configs travel to workers and into a run's folder, and come back the same."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from scoopi.configs.configs import Configs
from scoopi.configs.configs_reader import ConfigsReader
from scoopi.errors import ConfigError

AGENT = "scoopi.webClient.userAgent"


def read(overrides: dict[str, str], environ: dict[str, str] | None = None) -> Configs:
    return ConfigsReader().read(overrides, None, environ or {}, Path("/nowhere"))


def test_a_worker_gets_the_same_values_as_plain_texts() -> None:
    configs = read({"scoopi.workers": "2", AGENT: "a ${env:B}"}, {"B": "c"})
    sent = msgspec.json.decode(msgspec.json.encode(configs.composed()), type=dict[str, str])
    got = Configs.from_composed(sent)
    assert got.composed() == configs.composed()
    assert (got.text(AGENT), got.given) == ("a c", {})


def test_a_run_folder_keeps_no_secret_and_gives_it_back_from_the_environment() -> None:
    configs = read({AGENT: "a ${env:B}"}, {"B": "hush"})
    assert "hush" not in str(configs.kept())
    assert Configs.from_kept(configs.kept(), {"B": "hush"}).composed() == configs.composed()
    with pytest.raises(ConfigError, match=f"{AGENT} of the run: the environment variable B is not set"):
        Configs.from_kept(configs.kept(), {})


def test_a_run_kept_by_another_version_is_read() -> None:
    configs = Configs.from_composed({"scoopi.gone": "1", "scoopi.workers": "3"})
    assert configs.text("scoopi.workers") == "3"
    assert configs.number("scoopi.job.maxTakes") == 20
    assert "scoopi.gone" not in configs.composed()


def test_configs_encode_as_a_whole() -> None:
    configs = read({"scoopi.workers": "2"})
    assert msgspec.json.decode(msgspec.json.encode(configs), type=Configs) == configs


def test_getters_read_by_kind() -> None:
    configs = read({"scoopi.persist.data": "false"})
    assert configs.flag("scoopi.persist.data") is False
    assert configs.flag("scoopi.persist.locator") is True
    assert configs.text("scoopi.runDateTimeText") == ""
    assert configs.path("scoopi.datastore.path", Path("/a")) == Path("/a/data")
    with pytest.raises(KeyError):
        configs.text("scoopi.unknown")
