"""`scoopi fetch` loads one page as the engine does, and shows what was sent and received."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from tests.engine.workspace import Workspace
from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.misbehaviours import Misbehaviour
from tests.server.request_log import Seen
from tests.server.server import Server

SITES = """
sites:
  "127.*":
    robots: false
    userAgent: "bikes/1.0"
    headers: { X-Api-Key: "${env:BIKES_KEY}", Accept-Language: "de" }
"""


def test_a_page_is_shown_with_its_redirects_and_times(
    workspace: Workspace, server: Server, pages: Path
) -> None:
    (pages / "page.html").write_text("<h1>Bikes</h1>")
    ended = workspace.scoopi("fetch", server.url("/bad/redirect?to=/page.html"))
    assert ended.code == 0, ended.err
    robots, redirect, loaded, note, page = ended.out.splitlines()
    assert robots.startswith(f"404  GET {server.url('/robots.txt')}  [robots.txt]  ")
    assert note == f"robots.txt: {server.host(0)} has no rules for this agent (status 404)"
    assert redirect.startswith(
        f"302  GET {server.url('/bad/redirect?to=/page.html')}  5 bytes from 127.0.0.1:"
    )
    assert loaded.startswith(f"200  GET {server.url('/page.html')}  14 bytes from 127.0.0.1:")
    assert " over HTTP/1.1  (ms: " in loaded
    assert "total" in loaded
    assert page == "page: text/html, charset utf-8, 14 bytes"


def test_a_page_that_cannot_be_loaded_says_why(workspace: Workspace, server: Server) -> None:
    ended = workspace.scoopi("fetch", server.url("/bad/status/503"))
    assert ended.code == 1
    failed, retries = ended.out.splitlines()[-2:]
    assert failed.startswith("failed: ")
    assert "the site answered with status 503" in failed
    assert retries == "retries: a run retries it up to 4 times, the first time after 1 s"
    refused = workspace.scoopi("fetch", "http://127.0.0.1:9/")
    assert (refused.code, "no response  GET http://127.0.0.1:9/" in refused.out) == (1, True)


def test_a_robots_txt_that_does_not_come_says_what_a_run_does(workspace: Workspace) -> None:
    ended = workspace.scoopi("fetch", "http://127.0.0.1:9/")
    assert ended.code == 1
    retries = "retries: a run retries it, and the pages of the host wait for it"
    assert ended.out.splitlines()[-1] == retries


def run_with_sites(workspace: Workspace, server: Server, *words: str) -> str:
    (workspace.folder / "conf.yml").write_text(SITES)
    ended = workspace.scoopi(
        "fetch", server.url("/bad/echo"), "--conf", workspace.folder / "conf.yml", *words
    )
    assert ended.code == 0, ended.err
    return ended.out


def test_the_settings_of_the_site_apply_and_its_credentials_are_masked(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIKES_KEY", "top-secret-value")
    shown = run_with_sites(workspace, server, "--headers")
    assert "  > User-Agent: bikes/1.0" in shown
    assert "  > X-Api-Key: ***" in shown
    assert "  < Content-Type: text/plain" in shown
    assert "top-secret-value" not in shown
    (seen,) = server.log.all()
    assert seen.header("x-api-key") == "top-secret-value"
    as_json = json.loads(run_with_sites(workspace, server, "--json"))
    assert as_json["content_type"] == "text/plain"
    assert as_json["hops"][0]["status"] == 200
    assert {"dns", "connect", "tls", "first", "total"} == set(as_json["hops"][0]["ms"])
    assert "top-secret-value" not in json.dumps(as_json)


def test_the_command_of_curl_makes_the_same_request(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIKES_KEY", "top-secret-value")
    command = run_with_sites(workspace, server, "--curl").splitlines()[0]
    assert "top-secret-value" not in command
    assert '"$BIKES_KEY"' in command
    subprocess.run(["sh", "-c", command], check=True, capture_output=True, timeout=30)
    ours, theirs = server.log.all()
    for name in ("user-agent", "x-api-key", "accept-language"):
        assert ours.header(name) == theirs.header(name)


def test_a_locator_of_the_definitions_says_how_its_page_is_asked_for(
    workspace: Workspace, server: Server
) -> None:
    url = server.url("/bad/echo")
    (workspace.folder / "shop.yml").write_text(
        f"""
locatorGroups: {{ shop: {{ locators: [ {{ name: bread, url: "{url}", form: {{ city: oslo }} }} ] }} }}
taskGroups: {{ shop: {{ nameTask: {{ dataDef: title }} }} }}
dataDefs:
  title: {{ query: {{ block: "body", selector: "h1" }}, items: [ item: {{ name: title, value: title }} ] }}
"""
    )
    ended = workspace.scoopi("fetch", url, "--defs", "shop.yml", "--curl", "-D", "scoopi.loader.robots=false")
    assert ended.code == 0, ended.err
    command, hop, note, _ = ended.out.splitlines()
    assert note == f"robots.txt: not followed at {server.host(0)} (scoopi.loader.robots)"
    assert "-X POST" in command
    assert "--data-urlencode city=oslo" in command
    assert hop.startswith(f"200  POST {url}")


def test_what_is_not_a_web_address_is_refused(workspace: Workspace) -> None:
    ended = workspace.scoopi("fetch", "pages/oslo.html")
    assert ended.code == 2
    assert "is not a web address; write it as https://host/path" in ended.err


@pytest.mark.parametrize("path", ["/private/x", "/a/../private/x"])
def test_a_page_that_robots_txt_forbids_is_not_asked_for(workspace: Workspace, path: str) -> None:
    robots = b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\n"
    with Server(lambda path: robots if path == "/robots.txt" else b"<p>page") as server:
        ended = workspace.scoopi("fetch", server.url(path), "-D", "scoopi.loader.fetch.delay=0")
        assert ended.code == 1
        assert "disallowed by line 2 of robots.txt: Disallow: /private; a run skips the page" in ended.out
        assert [seen.path for seen in server.log.all()] == ["/robots.txt"]
        began = time.monotonic()
        allowed = workspace.scoopi("fetch", server.url("/p"), "--json", "-D", "scoopi.loader.fetch.delay=0")
        page = json.loads(allowed.out)
        assert [hop["purpose"] for hop in page["hops"]] == ["robots.txt", "page"]
        assert page["notes"] == [
            f"robots.txt: {server.host(0)} has 2 rules for this agent (200), asks for a delay of 2 s"
        ]
        *_, page_at = [seen.started for seen in server.log.all()]
        assert page_at - began >= 2, "the delay of robots.txt, since its request"


FORM = b'<form id=f method=post action="/enter"><input name=u><input type=password name=p></form>'
LOGIN = """
sites:
  "127.*":
    delay: 0
    robots: false
    login:
      url: "{url}/login"
      form: "#f"
      fields: {{ u: me, p: "${{env:PASSWORD}}" }}
      success: {{ selector: a.out }}
"""


class Club:
    """A site that shows its page to members only."""

    def route(self, seen: Seen) -> tuple[str, Misbehaviour] | None:
        """All its pages."""
        return "club", self.answer

    async def answer(self, exchange: Exchange) -> None:
        """Answer one request."""
        seen = exchange.seen
        if exchange.path == "/enter" and seen.body == b"u=me&p=right-one":
            sent = Answer(b"<a class=out>out</a>", headers=(("Set-Cookie", "sid=s3cret; Path=/"),))
        elif "sid=s3cret" in (seen.header("Cookie") or ""):
            sent = Answer(b"<p>members only")
        else:
            sent = Answer(FORM)
        await exchange.send(sent)


@pytest.mark.parametrize("password", ["right-one", "wrong-one"])
def test_a_site_with_a_login_is_logged_in_to(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    monkeypatch.setenv("PASSWORD", password)
    with Server(lambda path: b"", route=Club().route) as server:
        (workspace.folder / "conf.yml").write_text(LOGIN.format(url=server.url("")))
        words = ("--conf", workspace.folder / "conf.yml", "--headers")
        ended = workspace.scoopi("fetch", server.url("/page"), *words)
        assert ended.code == (0 if password == "right-one" else 1), ended.err
        hops = [line.split("  ")[1:3] for line in ended.out.splitlines() if line.startswith("200")]
        form, entered = (
            [f"GET {server.url('/login')}", "[login]"],
            [f"POST {server.url('/enter')}", "[login]"],
        )
        assert hops[:2] == [form, entered]
        assert password not in ended.out
        assert "s3cret" not in ended.out
        if password == "right-one":
            assert hops[2][0] == f"GET {server.url('/page')}"
            assert "login: logged in to 127.*" in ended.out
            assert ended.out.splitlines()[-1].endswith(" 15 bytes")
        else:
            assert len(hops) == 2
            assert "failed: " in ended.out
            assert "the login failed: the page that came after it has no element a.out" in ended.out
