"""robots.txt in whole runs: what it disallows is not asked for, over links and redirects, and is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.workspace import TEXT_DEFS, Workspace
from tests.server.server import Server


def define(workspace: Workspace, *urls: str) -> None:
    """A locator for each address, `l0` and so on."""
    locators = "\n".join(f'      - {{ name: l{n}, url: "{url}" }}' for n, url in enumerate(urls))
    (workspace.folder / "defs.yml").write_text(TEXT_DEFS.format(locators=locators))


@pytest.fixture(autouse=True)
def site(workspace: Workspace, pages: Path) -> None:
    """Two pages, of which one is disallowed."""
    workspace.settings |= {"scoopi.loader.fetch.delay": 0}
    (pages / "robots.txt").write_text("User-agent: *\n\nDisallow: /private\n")
    (pages / "open.html").write_text("<p>open</p>")
    (pages / "private.html").write_text("<p>private</p>")


def test_a_disallowed_page_is_skipped_and_the_rule_is_reported(workspace: Workspace, server: Server) -> None:
    define(workspace, server.url("/open.html"), server.url("/private.html"))
    ended = workspace.process("run", "defs.yml", "--workers", 1)
    assert ended.code == 0, ended.err
    assert server.log.paths() == ["/robots.txt", "/open.html"]
    report = workspace.run_json()
    assert report["jobs"] == {"done": 1, "failed": 0, "warned": 0, "left": 0, "skipped": 1}
    (cause,) = report["skipped"]
    assert cause["cause"] == f"{server.host()}: disallowed by line 3 of robots.txt: Disallow: /private"
    assert cause["example"]["url"] == server.url("/private.html")
    assert "1 done, 1 skipped" in ended.out + ended.err
    assert "line 3 of robots.txt" in ended.out + ended.err
    assert workspace.rows().total() == 1


def test_a_redirect_to_a_disallowed_page_is_not_followed(workspace: Workspace, server: Server) -> None:
    target = server.url("/private.html", 1)
    define(workspace, server.url(f"/bad/redirect?to={target}"), server.url("/bad/redirect?to=/open.html"))
    ended = workspace.process("run", "defs.yml", "--workers", 1)
    assert ended.code == 0, ended.err
    assert server.log.paths(server.host(1)) == ["/robots.txt"]
    assert f"{target}: disallowed by line 3 of robots.txt" in ended.out + ended.err
    assert workspace.run_json()["jobs"]["skipped"] == 1
    assert workspace.rows().total() == 1


def test_a_disallowed_page_is_skipped_however_its_address_is_written(
    workspace: Workspace, server: Server
) -> None:
    host = server.host()
    written = (
        f"http://{host}/a/../private.html",
        f"http://{host}/a/%2E%2e/private.html",
        f"http://{host}/./private.html",
        f"http:///{host}/private.html",
        f"http:{host}/private.html",
        f"http://{host}/%70rivate.html",
    )
    define(workspace, *written, server.url("/bad/redirect?to=/a/../private.html"))
    ended = workspace.process("run", "defs.yml", "--workers", 1)
    assert ended.code == 0, ended.err
    assert server.log.paths() == ["/robots.txt", "/bad/redirect?to=/a/../private.html"]
    assert workspace.run_json()["jobs"]["skipped"] == len(written) + 1


def test_each_host_is_asked_once_a_run(workspace: Workspace, server: Server) -> None:
    define(workspace, *(server.url(f"/open.html?{n}", n % 2) for n in range(8)))
    ended = workspace.process("run", "defs.yml", "--workers", 2)
    assert ended.code == 0, ended.err
    assert [server.log.paths(server.host(n)).count("/robots.txt") for n in (0, 1)] == [1, 1]


def test_a_host_without_the_file_allows_all(workspace: Workspace, server: Server, pages: Path) -> None:
    (pages / "robots.txt").unlink()
    define(workspace, server.url("/private.html"))
    assert workspace.process("run", "defs.yml", "--workers", 1).code == 0
    assert workspace.rows().total() == 1


def test_reading_robots_txt_can_be_switched_off_which_is_logged_once(
    workspace: Workspace, server: Server
) -> None:
    define(workspace, server.url("/private.html"))
    workspace.settings["scoopi.loader.robots"] = "false"
    ended = workspace.process("run", "defs.yml", "--workers", 1, "-v")
    assert ended.code == 0
    assert ended.err.count("robots.txt is not followed (scoopi.loader.robots)") == 1
    assert server.log.paths() == ["/private.html"]
