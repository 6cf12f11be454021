"""What `sites` gives is what servers see: rate, headers and timeout of each host."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.engine.politeness.pace import Pace
from tests.engine.workspace import TEXT_DEFS, Workspace, wait_until
from tests.server.server import Server

DELAY_MS = 150


@pytest.fixture
def server() -> Iterator[Server]:
    """Two hosts, as politeness counts them."""
    with Server(lambda path: b"<p>plain</p>") as server:
        yield server


def write(workspace: Workspace, urls: list[str], sites: str) -> None:
    locators = "\n".join(f'      - {{ name: l{n}, url: "{url}" }}' for n, url in enumerate(urls))
    (workspace.folder / "defs.yml").write_text(TEXT_DEFS.format(locators=locators) + sites)
    workspace.settings["scoopi.loader.robots"] = False


@pytest.mark.parametrize("workers", [0, 2])
def test_each_host_is_asked_at_the_rate_of_its_site(
    workspace: Workspace, server: Server, workers: int
) -> None:
    quick, slow = server.url("/", 0), server.url("/", 1)
    urls = [f"{base}{number}" for base in (quick, slow) for number in range(6)]
    write(workspace, urls, f'sites: {{ "{server.host(1)}": {{ delay: {DELAY_MS} }} }}\n')
    workspace.settings["scoopi.loader.fetch.delay"] = 0
    with Pace(server) as pace:
        assert workspace.scoopi("run", "defs.yml", "--workers", workers).code == 0
    pace.assert_kept(DELAY_MS, 1, number=1)
    assert sum(server.log.gaps(server.host(0))) < DELAY_MS / 1000 * 5
    assert workspace.rows().total() == 12


def test_a_site_in_the_conf_file_wins_over_that_of_the_definitions(
    workspace: Workspace, server: Server
) -> None:
    host = server.host(0)
    write(
        workspace,
        [server.url(f"/{number}") for number in range(4)],
        f'sites: {{ "{host}": {{ delay: 60000 }} }}\n',
    )
    (workspace.folder / "conf").mkdir()
    (workspace.folder / "conf/scoopi.yml").write_text(f'sites: {{ "{host}": {{ delay: {DELAY_MS} }} }}\n')
    with Pace(server) as pace:
        assert workspace.scoopi("run", "defs.yml", "--workers", "0").code == 0
    pace.assert_kept(DELAY_MS, 1)
    assert max(after.started - before.started for before, after in pairwise(server.log.all(host))) < 30


def test_headers_and_user_agent_are_those_of_the_site_of_each_host(
    workspace: Workspace, server: Server
) -> None:
    sites = f"""\
sites:
  "*": {{ headers: {{ Accept-Language: de, X-One: "1" }} }}
  "{server.host(1)}":
    userAgent: "other/2"
    headers: {{ accept-language: en, Accept: text/html, X-Empty: "" }}
"""
    write(workspace, [server.url("/a", 0), server.url("/b", 1)], sites)
    assert workspace.scoopi("run", "defs.yml", "--workers", "0").code == 0
    (first,), (second,) = server.log.all(server.host(0)), server.log.all(server.host(1))
    assert first.header("Accept-Language") == "de"
    assert str(first.header("User-Agent")).startswith("Scoopi/")
    seen = {
        name: second.header(name) for name in ("Accept-Language", "X-One", "User-Agent", "Accept", "X-Empty")
    }
    assert seen == {
        "Accept-Language": "en",
        "X-One": "1",
        "User-Agent": "other/2",
        "Accept": "text/html",
        "X-Empty": "",
    }


def test_a_redirect_to_another_host_has_the_headers_of_that_host(
    workspace: Workspace, server: Server
) -> None:
    sites = f'sites: {{ "{server.host(0)}": {{ headers: {{ X-Mine: only-here }} }} }}\n'
    write(workspace, [server.url(f"/bad/redirect?to={server.url('/x', 1)}", 0)], sites)
    assert workspace.scoopi("run", "defs.yml", "--workers", "0").code == 0
    (first,), (second,) = server.log.all(server.host(0)), server.log.all(server.host(1))
    assert first.header("X-Mine") == "only-here"
    assert second.header("X-Mine") is None


def test_the_timeout_of_a_site_ends_its_requests_and_no_others(workspace: Workspace, server: Server) -> None:
    write(
        workspace,
        [server.url("/bad/slow?ms=600", 0), server.url("/bad/slow?ms=60000", 1)],
        f'sites: {{ "{server.host(1)}": {{ timeout: 100 }} }}\n',
    )
    ended = workspace.scoopi("run", "defs.yml", "--workers", "0")
    assert "the page was not received within 100 ms" in ended.err
    assert workspace.run_json()["jobs"]["done"] == 1


def test_a_run_is_not_resumed_with_other_sites(workspace: Workspace, server: Server) -> None:
    host, conf = server.host(0), workspace.folder / "my.yml"
    conf.write_text(f'sites: {{ "{host}": {{ delay: 60000 }} }}\n')
    write(workspace, [server.url(f"/{number}") for number in range(3)], "")
    process = workspace.start("run", "defs.yml", "--conf", "my.yml", "--workers", "0")
    wait_until(lambda: server.log.all(host), "the first request", running=process)
    process.signal(signal.SIGTERM)
    process.wait(60)
    conf.write_text(f'sites: {{ "{host}": {{ delay: 1 }} }}\n')
    ended = workspace.scoopi("resume", "--conf", "my.yml")
    assert ended.code == 3
    assert f"my.yml:1:10: the site {host} has changed since the run began" in ended.err


def test_robots_txt_is_followed_unless_the_site_says_otherwise_which_is_logged_once(
    workspace: Workspace,
) -> None:
    def page(path: str) -> bytes:
        return b"User-agent: *\nDisallow: /\n" if path == "/robots.txt" else b"<p>plain</p>"

    with Server(page) as server:
        urls = [server.url(f"/{page}", host) for host in (0, 1) for page in (1, 2)]
        write(workspace, urls, f'sites: {{ "{server.host(1)}": {{ robots: false }} }}\n')
        workspace.settings |= {"scoopi.loader.robots": True, "scoopi.loader.fetch.delay": 0}
        ended = workspace.scoopi("run", "defs.yml", "--workers", "0", "--verbose")
    assert {seen.path for seen in server.log.all(server.host(0))} == {"/robots.txt"}
    assert {seen.path for seen in server.log.all(server.host(1))} == {"/1", "/2"}
    assert ended.err.count("robots.txt is not followed") == 1
    assert f"host {server.host(1)}: robots.txt is not followed (defs.yml:14)" in ended.err
