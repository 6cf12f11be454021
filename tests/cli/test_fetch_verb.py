"""`scoopi fetch` loads one page as the engine does, and shows what was sent and received."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.engine.desk import Desk
from tests.server.server import Server

SITES = """
sites:
  "127.*":
    userAgent: "bikes/1.0"
    headers: { X-Api-Key: "${env:BIKES_KEY}", Accept-Language: "de" }
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)


def test_a_page_is_shown_with_its_redirects_and_times(desk: Desk, server: Server, pages: Path) -> None:
    (pages / "page.html").write_text("<h1>Bikes</h1>")
    ended = desk.scoopi("fetch", server.url("/bad/redirect?to=/page.html"))
    assert ended.code == 0, ended.err
    redirect, loaded, page = ended.out.splitlines()
    assert redirect.startswith(
        f"302  GET {server.url('/bad/redirect?to=/page.html')}  5 bytes from 127.0.0.1:"
    )
    assert loaded.startswith(f"200  GET {server.url('/page.html')}  14 bytes from 127.0.0.1:")
    assert "total" in loaded
    assert page == "page: text/html, charset utf-8, 14 bytes"


def test_a_page_that_cannot_be_loaded_says_why(desk: Desk, server: Server) -> None:
    ended = desk.scoopi("fetch", server.url("/bad/status/503"))
    assert ended.code == 1
    assert ended.out.splitlines()[-1].startswith("failed: ")
    assert "the site answered with status 503" in ended.out
    refused = desk.scoopi("fetch", "http://127.0.0.1:9/")
    assert (refused.code, "no answer  GET http://127.0.0.1:9/" in refused.out) == (1, True)


def run_with_sites(desk: Desk, server: Server, *words: str) -> str:
    (desk.folder / "conf.yml").write_text(SITES)
    ended = desk.scoopi("fetch", server.url("/bad/echo"), "--conf", desk.folder / "conf.yml", *words)
    assert ended.code == 0, ended.err
    return ended.out


def test_the_settings_of_the_site_apply_and_its_credentials_are_masked(
    desk: Desk, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIKES_KEY", "top-secret-value")
    shown = run_with_sites(desk, server, "--headers")
    assert "  > User-Agent: bikes/1.0" in shown
    assert "  > X-Api-Key: ***" in shown
    assert "  < Content-Type: text/plain" in shown
    assert "top-secret-value" not in shown
    (seen,) = server.log.all()
    assert seen.header("x-api-key") == "top-secret-value"
    as_json = json.loads(run_with_sites(desk, server, "--json"))
    assert as_json["content_type"] == "text/plain"
    assert as_json["hops"][0]["status"] == 200
    assert {"dns", "connect", "tls", "first", "total"} == set(as_json["hops"][0]["ms"])
    assert "top-secret-value" not in json.dumps(as_json)


def test_the_command_of_curl_makes_the_same_request(
    desk: Desk, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIKES_KEY", "top-secret-value")
    command = run_with_sites(desk, server, "--curl").splitlines()[0]
    assert "top-secret-value" not in command
    assert '"$BIKES_KEY"' in command
    subprocess.run(["sh", "-c", command], check=True, capture_output=True, timeout=30)
    ours, theirs = server.log.all()
    for name in ("user-agent", "x-api-key", "accept-language"):
        assert ours.header(name) == theirs.header(name)


def test_a_locator_of_the_definitions_says_how_its_page_is_asked_for(desk: Desk, server: Server) -> None:
    url = server.url("/bad/echo")
    (desk.folder / "shop.yml").write_text(
        f"""
locatorGroups: {{ shop: {{ locators: [ {{ name: bread, url: "{url}", form: {{ city: oslo }} }} ] }} }}
taskGroups: {{ shop: {{ nameTask: {{ dataDef: title }} }} }}
dataDefs:
  title: {{ query: {{ block: "body", selector: "h1" }}, items: [ item: {{ name: title, value: title }} ] }}
"""
    )
    ended = desk.scoopi("fetch", url, "--defs", "shop.yml", "--curl")
    assert ended.code == 0, ended.err
    command, hop, _ = ended.out.splitlines()
    assert "-X POST" in command
    assert "--data-urlencode city=oslo" in command
    assert hop.startswith(f"200  POST {url}")


def test_what_is_not_a_web_address_is_refused(desk: Desk) -> None:
    ended = desk.scoopi("fetch", "pages/oslo.html")
    assert ended.code == 2
    assert "is not a web address; write it as https://host/path" in ended.err
