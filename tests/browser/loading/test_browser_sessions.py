"""One session of a site for its pages in a browser and its pages by plain HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.engine.workspace import Workspace
from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.locked_site import LockedSite
from tests.server.misbehaviours import Misbehaviour
from tests.server.request_log import Seen
from tests.server.server import Server

FORM = b"<form id=login method=post action=/enter><input name=user><input type=password name=pass>"
FORM += b"<button>in</button></form>"
PLAIN = """
sites:
  "HOST":
    parallelism: 4
    login:
      url: "URL/login"
      form: "form#login"
      fields: { user: me, pass: "${env:PASSWORD}" }
      success: { selector: "a.logout" }
locatorGroups:
  drawn: { locators: [ { name: d0, url: "URL/a0" }, { name: d1, url: "URL/a1" } ] }
  plain: { locators: [ { name: p0, url: "URL/b0" }, { name: p1, url: "URL/b1" } ] }
taskGroups:
  drawn: { loader: browser, task: { dataDef: page } }
  plain: { task: { dataDef: page } }
dataDefs: { page: { each: body, fields: { text: p } } }
"""
DRAWN = """
sites: { "HOST": { session: true } }
locatorGroups: { enter: "URL/login" }
taskGroups:
  enter:
    loader: browser
    browser:
      actions:
        - { type: me, in: "[name=user]" }
        - { type: "${env:PASSWORD}", in: "[name=pass]" }
        - { press: Enter, in: "[name=pass]" }
      until: { selector: a.logout }
    task: { dataDef: page }
    members: { follow: { select: "a.logout @href", group: inside } }
  inside: { task: { dataDef: page } }
dataDefs:
  page: { each: body, fields: { text: p } }
"""


class Club(LockedSite):
    """A site whose pages are for those who have logged in; the session's cookie changes with each page."""

    def __init__(self) -> None:
        super().__init__()
        self.logins = 0
        self.refused: list[str] = []

    def route(self, seen: Seen) -> tuple[str, Misbehaviour] | None:
        return "club", self.answer

    def answer_to(self, exchange: Exchange) -> Answer:
        seen, path = exchange.seen, exchange.path
        if path == "/login":
            return Answer(FORM, headers=(("Set-Cookie", "pre=1; Path=/"),))
        cookies = (seen.header("Cookie") or "").split("; ")
        if path == "/enter":
            self.logins += 1
            right = parse_qs(seen.body.decode()) == {"user": ["me"], "pass": ["right"]} and "pre=1" in cookies
            sets = ("Set-Cookie", f"sid={'s3cret' if right else 'none'}; Path=/; HttpOnly")
            return Answer(b"", 302, headers=(("Location", "/home"), sets))
        if path.startswith(("/favicon", "/robots")):
            return Answer(b"", 404)
        if "sid=s3cret" not in cookies:
            self.refused.append(path)
            return Answer(b"<p>members only</p>" + FORM)
        return Answer(b"<p>inside</p><a class=logout href=/b0>out</a>")


@pytest.fixture
def club() -> Club:
    return Club()


@pytest.fixture
def server(club: Club) -> Iterator[Server]:
    with Server(lambda path: b"", route=club.route) as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "workspace").mkdir()
    made = Workspace(tmp_path / "workspace")
    made.settings |= {"scoopi.loader.fetch.delay": 0, "scoopi.loader.robots": False}
    made.settings["scoopi.webDriver.browsers"] = 1
    return made


def write(workspace: Workspace, server: Server, text: str) -> None:
    (workspace.folder / "defs.yml").write_text(
        text.replace("HOST", server.host(0)).replace("URL", server.url(""))
    )


def test_a_login_by_plain_http_is_valid_in_the_browser_on_all_workers(
    workspace: Workspace, server: Server, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    write(workspace, server, PLAIN)
    ended = workspace.process("run", "defs.yml", "--workers", 2)
    assert ended.code == 0, ended.err
    assert sum(workspace.rows(file="page.jsonl").values()) == 4
    assert (club.logins, club.refused) == (1, [])


def test_a_login_by_actions_in_the_browser_is_valid_for_pages_by_plain_http(
    workspace: Workspace, server: Server, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    write(workspace, server, DRAWN)
    ended = workspace.process("run", "defs.yml", "--workers", 2)
    assert ended.code == 0, ended.err
    assert sum(workspace.rows(file="page.jsonl").values()) == 2
    assert (club.logins, club.refused) == (1, [])
    (seen,) = [each for each in server.log.all() if each.path == "/b0"]
    assert "sid=s3cret" in (seen.header("Cookie") or "")
    monkeypatch.delenv("PASSWORD")
    ended = workspace.process("run", "defs.yml")
    assert "an action types the environment variable PASSWORD, which is not set" in ended.out + ended.err
    assert club.logins == 1
