"""`scoopi config` prints every setting with its source on stdout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scoopi.configs.registry import SETTINGS


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lines_of(screen: Any) -> dict[str, str]:
    pairs = (line.split(maxsplit=1) for line in screen.out.getvalue().splitlines())
    return {key: " ".join(rest.split()) for key, rest in pairs}


def test_config_shows_each_setting_and_its_source(screen: Any) -> None:
    Path("conf").mkdir()
    Path("conf/scoopi.yml").write_text("\nscoopi.webClient.timeout: 5\n")
    Path("my.yml").write_text("scoopi: {job: {maxTakes: 7}}\n")
    screen.environ |= {"SCOOPI_WORKERS": "3", "KEY": "s3cret"}
    line = ["config", "--conf", "my.yml", "-D", "scoopi.webClient.userAgent=bot ${env:KEY}"]
    assert screen.run(*line, "-D", "scoopi.fact.blank.replaceWith=") == 0
    shown = lines_of(screen)
    assert list(shown) == [setting.key for setting in SETTINGS]
    assert shown["scoopi.webClient.timeout"] == "5 ms conf/scoopi.yml:2"
    assert shown["scoopi.job.maxTakes"] == "7 my.yml:1"
    assert shown["scoopi.workers"] == "3 environment SCOOPI_WORKERS"
    assert shown["scoopi.webClient.userAgent"] == "bot *** -D"
    assert shown["scoopi.fact.blank.replaceWith"] == '"" -D'
    assert shown["scoopi.runDateTimeText"] == "(unset) default"
    assert shown["scoopi.loader.fetch.delay"] == "1000 ms default"
    assert screen.err.getvalue() == ""


def test_config_shows_more_when_verbose(screen: Any) -> None:
    assert screen.run("config", "-v") == 0
    assert (
        "    The least time between the starts of two requests to one host.\n"
        "    a whole number from 0 to 86400000 (ms); scope shared; SCOOPI_LOADER_FETCH_DELAY\n"
    ) in screen.out.getvalue()


def test_a_bad_setting_is_exit_3_and_nothing_on_stdout(screen: Any) -> None:
    assert screen.run("config", "-D", "scoopi.wokers=2") == 3
    assert "did you mean scoopi.workers?" in screen.err.getvalue()
    assert screen.out.getvalue() == ""


def test_a_key_of_the_original_is_one_warning_on_stderr(screen: Any) -> None:
    assert screen.run("config", "-D", "scoopi.defs.dir=x") == 0
    [line] = screen.err.getvalue().splitlines()
    assert "scoopi.defs.dir has no meaning here" in line
