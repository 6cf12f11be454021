"""`scoopi config` prints every setting with its source on stdout."""

from __future__ import annotations

import json
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


def test_the_sites_block_of_a_conf_file_is_not_taken_for_settings(screen: Any) -> None:
    Path("my.yml").write_text("scoopi.workers: 2\nsites: { a.example: { delay: 5 } }\n")
    assert screen.run("config", "--conf", "my.yml") == 0
    assert "sites" not in screen.out.getvalue()


SITES = """\
sites:
  "*": { headers: { Accept-Language: de, X-Api-Key: "${env:KEY}" } }
  "*.example.org": { delay: 250 }
"""


def test_config_site_shows_each_value_of_a_host_and_where_it_was_written(screen: Any) -> None:
    Path("my.yml").write_text(SITES)
    screen.environ |= {"KEY": "s3cret"}
    line = ["config", "--site", "https://shop.example.org/x", "--conf", "my.yml"]
    assert screen.run(*line, "-D", "scoopi.webClient.timeout=5") == 0
    first, *rest = screen.out.getvalue().splitlines()
    assert first == "host shop.example.org:443: *.example.org (my.yml:3:3), * (my.yml:2:3)"
    shown = {key: " ".join(value) for key, *value in map(str.split, rest)}
    assert shown["delay"] == "250 ms my.yml:3"
    assert shown["timeout"] == "5 ms -D"
    assert shown["parallelism"] == "1 default"
    assert shown["headers.X-Api-Key"] == "${env:KEY} (set) my.yml:2"
    assert screen.err.getvalue() == ""


def test_config_site_prints_json_and_never_a_secret(screen: Any) -> None:
    Path("my.yml").write_text(SITES)
    screen.environ |= {"KEY": "s3cret"}
    assert screen.run("config", "--site", "http://a.example/", "--conf", "my.yml", "--json") == 0
    shown = json.loads(screen.out.getvalue())
    assert shown["host"] == "a.example:80"
    assert shown["blocks"] == [{"pattern": "*", "place": "my.yml:2:3"}]
    assert shown["values"]["headers.X-Api-Key"] == {"value": "${env:KEY} (set)", "origin": "my.yml:2"}
    assert "s3cret" not in screen.out.getvalue()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--site", "x.html"], "x.html is not a web address; write it as https://host/path"),
        (["--json"], "--defs and --json belong to --site; add --site URL"),
    ],
)
def test_config_site_wants_a_web_address(screen: Any, words: list[str], message: str) -> None:
    assert screen.run("config", *words) == 2
    assert message in screen.err.getvalue()
