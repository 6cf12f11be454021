"""Sessions and logins: cookies of a site on all workers, one login, renewed when a page asks for it."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest

from tests.engine.workspace import TEXT_DEFS, Workspace, wait_until
from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.locked_site import LockedSite
from tests.server.misbehaviours import Misbehaviour
from tests.server.request_log import Seen
from tests.server.server import Server

FORM = b"""<form id=login method=post action="/enter"><input type=hidden name=csrf value=t0k>
<input name=user><input type=password name=pass><select name=lang>
<option value=de selected>d</select></form>"""
LOGIN = """\
sites:
  "{host}":
    parallelism: 8
    login:
      url: "{url}/login"
      form: "form#login"
      fields: {{ user: me, pass: "${{env:PASSWORD}}" }}
      success: {{ selector: "a.logout" }}
"""


class Shop(LockedSite):
    """A site whose pages want a session; each session is good for `uses` pages."""

    def __init__(self, uses: int = 1000) -> None:
        super().__init__()
        self._uses = uses
        self._left: dict[str, int] = {}
        self.logins: list[bytes] = []
        self.refused = 0

    def route(self, seen: Seen) -> tuple[str, Misbehaviour] | None:
        """All but the page after the login."""
        return None if seen.path == "/home" else ("shop", self.answer)

    def answer_to(self, exchange: Exchange) -> Answer:
        """See `LockedSite`."""
        seen, path = exchange.seen, exchange.path
        if path == "/login":
            return Answer(FORM, headers=(("Set-Cookie", "pre=1; Path=/"),))
        if path == "/enter":
            return self._enter(seen.body, seen.header("Cookie") or "")
        sid = dict(part.split("=", 1) for part in (seen.header("Cookie") or "=").split("; ")).get("sid", "")
        if self._left.get(sid, 0) <= 0:
            self.refused += 1
            return Answer(b"", 302, headers=(("Location", "/login"),))
        self._left[sid] -= 1
        return Answer(b"<p>page</p>")

    def _enter(self, body: bytes, cookie: str) -> Answer:
        fields = parse_qs(body.decode())
        self.logins.append(body)
        right = {"csrf": ["t0k"], "user": ["me"], "pass": ["right"], "lang": ["de"]}
        if fields != right or "pre=1" not in cookie:
            return Answer(b"<p>wrong password</p>" + FORM)
        sid = f"s{len(self.logins)}"
        self._left[sid] = self._uses
        return Answer(
            b"", 302, headers=(("Location", "/home"), ("Set-Cookie", f"sid={sid}; Path=/; HttpOnly"))
        )


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def server(shop: Shop) -> Iterator[Server]:
    with Server(lambda path: b"<a class=logout>out</a>", route=shop.route) as server:
        yield server


def write(workspace: Workspace, server: Server, count: int, sites: str = LOGIN) -> None:
    entries = [f'      - {{ name: l{each}, url: "{server.url(f"/p{each}")}" }}' for each in range(count)]
    text = TEXT_DEFS.format(locators="\n".join(entries)) + sites.format(
        host=server.host(0), url=server.url("")
    )
    (workspace.folder / "defs.yml").write_text(text)
    workspace.settings |= {"scoopi.loader.fetch.delay": 0, "scoopi.loader.robots": False}


@pytest.mark.parametrize("workers", [0, 2])
def test_a_site_is_logged_in_to_once_for_all_pages_of_all_workers(
    workspace: Workspace, server: Server, shop: Shop, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    write(workspace, server, 40)
    ended = workspace.process("run", "defs.yml", "--workers", workers)
    assert ended.code == 0, ended.err
    assert sum(workspace.rows().values()) == 40
    assert "another run" not in ended.err
    assert len(shop.logins) == 1
    assert shop.refused == 0
    assert Counter(seen.path for seen in server.log.all()).most_common(1)[0][1] == 1


def test_a_login_is_renewed_when_a_page_asks_for_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    shop = Shop(uses=7)
    with Server(lambda path: b"<a class=logout>out</a>", route=shop.route) as server:
        write(workspace, server, 20, LOGIN.replace("parallelism: 8", "parallelism: 1"))
        ended = workspace.process("run", "defs.yml", "--workers", 2)
    assert ended.code == 0, ended.err
    assert sum(workspace.rows().values()) == 20
    assert len(shop.logins) == 3


def test_a_failed_login_fails_the_pages_with_one_clear_message_and_stops_requests(
    workspace: Workspace, server: Server, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "canary-wrong")
    write(workspace, server, 30)
    ended = workspace.process("run", "defs.yml", "--workers", 2)
    assert ended.code == 1
    assert "30x  loader: the login failed: the page that came after it has no element a.logout" in ended.err
    assert ended.err.count("check `login` of the site") == 1
    assert "canary" not in ended.err
    assert len(shop.logins) == 1
    assert {seen.path for seen in server.log.all()} == {"/login", "/enter"}
    assert workspace.run_json()["jobs"]["failed"] == 30


def test_a_login_without_a_form_posts_its_fields(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    sites = LOGIN.replace('/login"', '/home"').replace('      form: "form#login"\n', "")
    write(workspace, server, 1, sites)
    workspace.process("run", "defs.yml", "--workers", 0)
    posts = [seen for seen in server.log.all() if seen.method == "POST"]
    assert [(seen.path, seen.body) for seen in posts] == [("/home", b"user=me&pass=right")]


def test_cookies_of_a_site_with_a_session_are_kept_for_its_further_pages(workspace: Workspace) -> None:
    def page(path: str) -> Answer:
        return Answer(b"<p>page</p>", headers=(("Set-Cookie", f"last={path[1:]}; Path=/"),))

    with Server(page) as server:
        write(workspace, server, 6, 'sites: {{ "{host}": {{ session: true }} }}\n')
        assert workspace.process("run", "defs.yml", "--workers", 2).code == 0
        cookies = [seen.header("Cookie") for seen in server.log.all()]
        paths = [seen.path[1:] for seen in server.log.all()]
        assert cookies == [None, *(f"last={path}" for path in paths[:-1])]
        write(workspace, server, 2, "")
        server.log.clear()
        assert workspace.process("run", "defs.yml", "--workers", 2).code == 0
        assert [seen.header("Cookie") for seen in server.log.all()] == [None, None]


@pytest.mark.parametrize(
    ("login", "message"),
    [
        (
            'url: "http://a/", fields: { pass: abc }, success: { url: /x }',
            "the field pass contains a credential in plain text",
        ),
        ('url: "http://a/", fields: { u: x }', "success is missing"),
        ('url: "http://a/", fields: { u: x }, success: {}', "success needs a selector or a url"),
        ("url: a, fields: { u: x }, success: { url: /x }", "a is not a web address"),
        ('url: "http://a/", form: "p:nonsense", fields: { u: x }, success: { url: /x }', "nonsense"),
    ],
)
def test_what_is_wrong_with_a_login_is_found_by_the_check(
    workspace: Workspace, server: Server, login: str, message: str
) -> None:
    write(workspace, server, 1, "sites: {{ a.example: {{ login: {{ LOGIN }} }} }}\n")
    text = (workspace.folder / "defs.yml").read_text().replace("LOGIN", login)
    (workspace.folder / "defs.yml").write_text(text)
    ended = workspace.scoopi("check", "defs.yml")
    assert ended.code == 3
    assert message in ended.out
    assert "abc" not in ended.out


def test_a_resumed_run_keeps_its_session(
    workspace: Workspace, server: Server, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    write(workspace, server, 12, LOGIN.replace("parallelism: 8", "delay: 300"))
    process = workspace.start("run", "defs.yml", "--workers", "1")
    wait_until(lambda: len(server.log.all()) >= 5, "some pages", 60, process)
    process.signal(signal.SIGTERM)
    process.wait(60)
    assert len(shop.logins) == 1
    ended = workspace.process("resume")
    assert ended.code == 0, ended.err
    assert sum(workspace.rows().values()) == 12
    assert len(shop.logins) == 1
