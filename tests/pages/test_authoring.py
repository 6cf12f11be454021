"""authoring: a page is loaded and read with the definitions, settings and inputs of the call."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoopi.authoring import fetch, parse_page, site_view
from scoopi.errors import BootError
from scoopi.model.inputs import Inputs
from tests.server.server import Server

DEFINITIONS = """\
locatorGroups: { shop: [ "shop.html" ] }
taskGroups: { shop: { goods: { dataDef: good }, dear: { dataDef: dear } } }
dataDefs:
  good: { each: li, fields: { name: b, day: { value: "%{input.day}" } } }
  dear: { each: "li.dear", fields: { name: b } }
sites: { "*": { headers: { X-Token: "${env:SHOP_TOKEN}" } } }
"""
AGENT = "scoopi.webClient.userAgent"


@pytest.fixture
def defs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("shop.html").write_text("<li><b>Rye</b><li class=dear><b>Oat</b>")
    path = tmp_path / "defs.yml"
    path.write_text(DEFINITIONS)
    return path


def test_a_page_is_read_with_the_inputs_of_the_call(defs: Path) -> None:
    inputs = Inputs({"day": "monday"})
    goods, dear = parse_page(defs, "shop.html", configs={}, environ={"SHOP_TOKEN": "t"}, inputs=inputs)
    assert goods.records.rows == (("Rye", "monday"), ("Oat", "monday"))
    assert dear.records.rows == (("Oat",),)
    (only,) = parse_page(
        defs, "shop.html", data_def="dear", configs={}, environ={"SHOP_TOKEN": "t"}, inputs=inputs
    )
    assert only == dear


def test_a_setting_of_the_call_comes_before_the_environment_and_that_before_a_file(
    defs: Path, tmp_path: Path
) -> None:
    conf = tmp_path / "my.yml"
    conf.write_text(f"{AGENT}: of the file\n")
    environ = {"SHOP_TOKEN": "t", "SCOOPI_WEBCLIENT_USERAGENT": "of the environment"}
    inputs = Inputs({"day": "monday"})

    def agent(configs: dict[str, str], given: Path | None) -> str:
        view = site_view("http://shop.example", defs, given, configs, environ, inputs)
        return {each.key: each.value for each in view.values}["userAgent"]

    assert agent({AGENT: "of the call"}, conf) == "of the call"
    assert agent({}, conf) == "of the environment"
    environ.pop("SCOOPI_WEBCLIENT_USERAGENT")
    assert agent({}, conf) == "of the file"


def test_a_page_is_asked_for_as_the_site_of_the_definitions_says(
    defs: Path, server: Server, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "S3cr3t")
    (pages / "shop.html").write_text("<li><b>Rye</b>")
    inputs = Inputs({"day": "monday"})
    page = fetch(server.url("/shop.html"), defs, {AGENT: "of the call"}, None, dict(os.environ), inputs)
    assert (page.error, page.size_bytes) == ("", len("<li><b>Rye</b>"))
    (asked,) = [each for each in server.log.all(server.host()) if each.path == "/shop.html"]
    assert (asked.header("user-agent"), asked.header("x-token")) == ("of the call", "S3cr3t")


def test_without_definitions_a_page_is_asked_for_with_the_settings_alone(server: Server, pages: Path) -> None:
    (pages / "shop.html").write_text("<li><b>Rye</b>")
    page = fetch(server.url("/shop.html"), None, {}, None, {})
    assert page.error == ""
    (asked,) = [each for each in server.log.all(server.host()) if each.path == "/shop.html"]
    assert asked.header("x-token") is None


def test_a_setting_that_is_wrong_ends_the_call(defs: Path) -> None:
    with pytest.raises(BootError, match=r"scoopi\.link\.maxDepth needs"):
        parse_page(defs, "shop.html", configs={"scoopi.link.maxDepth": "deep"}, environ={})
