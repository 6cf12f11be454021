"""A loader plugin loads pages of a real run; the example of docs/plugins.md is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docs.markdown import Page
from tests.engine.politeness.pace import Pace
from tests.engine.workspace import Workspace
from tests.server.server import Server
from tests.site.misbehaving_site import ADDRESSES, MisbehavingSite
from tests.site.status_pages import TOKEN

DOCUMENT = Page("docs/plugins.md")
(PLUGIN,) = (block.text for block in DOCUMENT.blocks("python") if block.file.startswith("concerts/"))
(DEFINITIONS,) = (block.text for block in DOCUMENT.blocks("yaml") if block.file.startswith("concerts/"))
LOCATOR = '{ name: hall, url: "https://hall.example/concerts" }'
SECOND = "plugin: { name: two, class: TokenLoader, tokenUrl: x }"
TEXT = "Brot, Käse und Öl"


@pytest.fixture
def workspace(tmp_path: Path, pages: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with the plugin and the definitions of the documentation; `server` gives the token."""
    folder = tmp_path / "workspace"
    (folder / "defs" / "plugins").mkdir(parents=True)
    (folder / "defs" / "plugins" / "token_loader.py").write_text(PLUGIN)
    (pages / "token").write_text(TOKEN)
    monkeypatch.chdir(folder)
    return Workspace(folder)


def write(workspace: Workspace, server: Server, *urls: str) -> None:
    """Put the locators of these URLs into the definitions."""
    locators = ", ".join(f'{{ name: page{number}, url: "{url}" }}' for number, url in enumerate(urls))
    text = DEFINITIONS.replace(LOCATOR, locators)
    text = text.replace("https://login.hall.example/token", server.url("/token"))
    (workspace.folder / "defs" / "concerts.yml").write_text(text)


@pytest.mark.parametrize("workers", [0, 2])
def test_the_example_of_the_documentation_loads_pages_at_the_pace_of_their_host(
    workspace: Workspace, server: Server, site: MisbehavingSite, workers: int
) -> None:
    workspace.settings |= {"scoopi.loader.fetch.delay": 120}
    write(workspace, server, *(site.url("bearer-auth", f"/{number}") for number in range(6)))
    with Pace(site.server) as pace:
        ended = workspace.scoopi("run", "defs", "--workers", workers)
    assert ended.code == 0, ended.err
    assert sorted(workspace.rows()) == [f"page{number}|hall|{TEXT}|not found" for number in range(6)]
    pages = [seen for seen in site.log.all() if not seen.path.endswith("/robots.txt")]
    assert {seen.header("authorization") for seen in pages} == {f"Bearer {TOKEN}"}
    assert {seen.header("user-agent") for seen in pages} != {None}
    pace.assert_kept(120, 1, [*ADDRESSES].index("bearer-auth"))
    assert server.log.paths().count("/token") in (1, 2), "once in each worker"


def test_a_further_request_keeps_to_the_rules_of_its_own_host(
    workspace: Workspace, server: Server, site: MisbehavingSite, pages: Path
) -> None:
    (pages / "robots.txt").write_text("User-agent: *\nDisallow: /token")
    write(workspace, server, site.url("bearer-auth"))
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert "disallowed by" in ended.err
    assert workspace.run_json()["jobs"]["skipped"] == 1
    assert "/token" not in server.log.paths()


def test_redirects_retries_and_refusals_are_those_of_any_other_page(
    workspace: Workspace, server: Server, site: MisbehavingSite
) -> None:
    workspace.settings |= {
        "scoopi.loader.fetch.delay": 5,
        "scoopi.loader.fetch.errorDelay": 50,
        "scoopi.loader.fetch.hostTimeout": 1,
        "scoopi.retry.delay": 50,
    }
    names = ("redirect-chain", "flapping-503", "charset-windows-1251", "404", "image", "refused")
    write(workspace, server, *map(site.url, names))
    ended = workspace.scoopi("run", "defs", "--workers", 1)
    assert ended.code == 1
    assert sorted(workspace.rows()) == [
        f"page0|hall|{TEXT}|not found",
        f"page1|hall|{TEXT}|not found",
        "page2|hall|Сыр и хлеб|not found",
    ]
    causes = {error["cause"] for error in workspace.run_json()["errors"]}
    assert {"loader: the site answered with status 404", "loader: the page is image/jpeg"} < causes
    assert len(causes) == 3
    asked = [site.host(name) for name in names]
    pages = [seen for seen in site.log.all() if not seen.path.endswith("/robots.txt")]
    assert [sum(seen.host == host for seen in pages) for host in asked] == [4, 3, 1, 1, 1, 0]


def test_a_loader_that_cannot_be_made_ends_the_run_before_it_starts(
    workspace: Workspace, server: Server, site: MisbehavingSite
) -> None:
    write(workspace, server, site.url("plain"))
    file = workspace.folder / "defs" / "concerts.yml"
    text = file.read_text()
    for wrong, said in (
        (text.replace("TokenLoader", "TokenLoadr"), "did you mean TokenLoader?"),
        (text.replace("tokenUrl", "tokenAddress"), "tokenAddress"),
        (text.replace("class: TokenLoader", "class: NoRedirects").replace("tokenUrl", "x"), "NoRedirects"),
        (
            text.replace("          - plugin:", f"          - {SECOND}\n          - plugin:"),
            "only one can load a page",
        ),
    ):
        file.write_text(wrong)
        ended = workspace.scoopi("run", "defs", "--workers", 0)
        assert (ended.code, said in ended.err) == (3, True), ended.err
    assert site.log.all() == []


def test_a_file_is_read_without_the_plugin(workspace: Workspace, server: Server) -> None:
    (workspace.folder / "saved.html").write_text("<p>saved")
    write(workspace, server, "saved.html")
    assert workspace.scoopi("run", "defs", "--workers", 0).code == 0
    assert list(workspace.rows()) == ["page0|hall|saved|not found"]
    assert server.log.all() == []


def test_a_kept_page_serves_its_own_fragment_only_as_the_plugin_sees_it(
    workspace: Workspace, server: Server, site: MisbehavingSite
) -> None:
    for fragment in ("#one", "#two", "#two"):
        write(workspace, server, site.url("bearer-auth") + fragment)
        file = workspace.folder / "defs" / "concerts.yml"
        file.write_text(file.read_text().replace("  hall: { concertTask", "  hall: { live: P1W, concertTask"))
        ended = workspace.scoopi("run", "defs", "--workers", 0)
        assert ended.code == 0, ended.err
    assert len([seen for seen in site.log.all() if not seen.path.endswith("/robots.txt")]) == 2


def test_fetch_loads_a_page_as_the_loader_of_its_group_does(
    workspace: Workspace, server: Server, site: MisbehavingSite
) -> None:
    write(workspace, server, site.url("bearer-auth"))
    words = ("fetch", site.url("bearer-auth"), "--defs", "defs", "-D", "scoopi.loader.robots=false")
    ended = workspace.scoopi(*words)
    assert ended.code == 0, ended.err
    token, page, _, _, last = ended.out.splitlines()
    assert token.startswith(f"unknown  GET {server.url('/token')}  [loader]  ")
    assert page.startswith(f"200  GET {site.url('bearer-auth')}  ")
    assert last.startswith("page: text/html, ")
    assert last.endswith(" bytes, loaded by token")
    shown = json.loads(workspace.scoopi(*words, "--json").out)
    assert (shown["loader"], [hop["status"] for hop in shown["hops"]]) == ("token", [0, 200])
    assert TOKEN not in json.dumps(shown)


def test_fetch_takes_the_loader_of_a_group_that_is_named_and_names_those_that_there_are(
    workspace: Workspace, server: Server, site: MisbehavingSite
) -> None:
    write(workspace, server, "saved.html")
    words = ("fetch", site.url("bearer-auth"), "--defs", "defs")
    without = workspace.scoopi(*words)
    assert without.code == 1
    assert "loader: Scoopi's own; --group hall asks as that group does" in without.out
    assert "401  GET" in without.out
    assert workspace.scoopi(*words, "--group", "hall").code == 0
    wrong = workspace.scoopi(*words, "--group", "hal")
    assert (wrong.code, "there is no task group hal; did you mean hall?" in wrong.err) == (2, True)


def test_fetch_shows_why_a_loader_brought_no_page(
    workspace: Workspace, server: Server, site: MisbehavingSite
) -> None:
    write(workspace, server, site.url("404"), site.url("refused"))
    missing = workspace.scoopi("fetch", site.url("404"), "--defs", "defs")
    assert missing.code == 1
    assert f"404  GET {site.url('404')}" in missing.out
    assert "retries: a run does not retry it" in missing.out
    words = ("--defs", "defs", "-D", "scoopi.loader.robots=false")
    refused = workspace.scoopi("fetch", site.url("refused"), *words)
    assert "no response  GET" in refused.out
    assert "retries: a run retries it" in refused.out
