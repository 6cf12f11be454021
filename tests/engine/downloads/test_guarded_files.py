"""Files that a rule, a host or a login guards are asked for as pages are."""

from __future__ import annotations

import pytest

from tests.engine.downloads.downloading import RECORDS, Downloaded, Downloading, path_of
from tests.engine.requests.test_logins import LOGIN, Shop
from tests.engine.workspace import Workspace
from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.file_pages import content
from tests.server.server import Server


@pytest.mark.parametrize("robots", [None, b"User-agent: *\nDisallow: /ok/private/\n"])
def test_a_file_that_robots_txt_disallows_is_not_asked_for(
    downloading: Downloading, robots: bytes | None
) -> None:
    del downloading.workspace.settings["scoopi.loader.robots"]
    downloading.site.robots = robots
    said = downloading.run("/ok/a.jpg", "/ok/private/b.jpg", "/moved-private/c.jpg")
    files = ["a.jpg", "b.jpg", "c.jpg"] if robots is None else ["a.jpg"]
    paths = [path_of(content(name)) for name in files]
    assert downloading.images() == [*paths, None, None][:3]
    assert {*downloading.files()} == {*paths}
    asked = [len(downloading.site.asked(f"/ok/private/{name}.jpg")) for name in "bc"]
    assert asked == ([1, 1] if robots is None else [0, 0]), "a redirect leads round no rule"
    assert ("robots.txt" in said) is (robots is not None), said


def test_a_page_of_the_web_never_has_files_of_this_machine_copied(downloading: Downloading) -> None:
    secret = downloading.workspace.folder / "secret.txt"
    secret.write_text("secret")
    said = downloading.run(f"file://{secret}", "/ok/a.jpg")
    assert downloading.images() == [None, path_of(content("a.jpg"))]
    assert [*downloading.files()] == [path_of(content("a.jpg"))]
    assert "only http and https URLs can be downloaded" in said


class Cellar(Shop):
    """A shop whose pictures want a session, too."""

    def answer_to(self, exchange: Exchange) -> Answer:
        """See `LockedSite`."""
        answer = super().answer_to(exchange)
        if answer.body != b"<p>page</p>":
            return answer
        if exchange.path == "/list":
            return Answer("".join(f"<li><b>t{n}</b><a href='/{n}.jpg'>x</a></li>" for n in range(8)).encode())
        return Answer(content(exchange.path[1:]), 200, "image/jpeg")


def run_behind_login(workspace: Workspace, shop: Shop, code: int) -> str:
    """Run over the list of a shop and its pictures; what is said."""
    parts = {"key": "", "field": "", "download": "", "request": "", "output": "cards.jsonl"}
    with Server(lambda path: b"<a class=logout>out</a>", route=shop.route) as server:
        text = RECORDS.format(url=server.url("/list"), to="files/%{sha256}.%{ext}", **parts)
        sites = LOGIN.format(host=server.host(0), url=server.url(""))
        (workspace.folder / "defs.yml").write_text(text + sites)
        workspace.settings |= {"scoopi.loader.fetch.delay": 0, "scoopi.loader.robots": False}
        ended = workspace.scoopi("run", "defs.yml", "--workers", "0")
    assert ended.code == code, ended.err
    return ended.err


@pytest.mark.parametrize(("uses", "logins"), [(1000, 1), (4, 3)])
def test_files_behind_a_login_come_with_the_session_of_their_site(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, uses: int, logins: int
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    shop = Cellar(uses)
    run_behind_login(workspace, shop, code=0)
    assert len(shop.logins) == logins
    made = Downloaded(workspace)
    assert made.images() == [path_of(content(f"{n}.jpg")) for n in range(8)]
    assert {*made.files()} == {*made.images()}


class ClosedCellar(Cellar):
    """A shop in which one picture is for nobody, session or not."""

    def answer_to(self, exchange: Exchange) -> Answer:
        """See `LockedSite`."""
        if exchange.path == "/3.jpg":
            return Answer(b"", 302, headers=(("Location", "/login"),))
        return super().answer_to(exchange)


def test_a_login_page_never_stands_in_place_of_a_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PASSWORD", "right")
    said = run_behind_login(workspace, ClosedCellar(), code=0)
    made = Downloaded(workspace)
    assert made.images() == [None if n == 3 else path_of(content(f"{n}.jpg")) for n in range(8)]
    assert {*made.files()} == {path for path in made.images() if path}
    assert "image: " in said
