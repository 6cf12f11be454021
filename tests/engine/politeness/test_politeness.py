"""Politeness, proven against a server's log: delay and parallelism per host, whatever is killed."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoopi.runs.request_figures_reader import read_request_figures
from tests.engine.politeness.pace import Pace
from tests.engine.workspace import Workspace, wait_until
from tests.reliability.process import kill, orphans
from tests.server.server import Server

DELAY_MS = 200
LATE_MS = 1000
"""By which a busy machine may note two requests too late, or too early beside each other."""
SLOW_MS = {1: 300, 2: 800, 4: 1400}
"""By parallelism: long enough for that many requests to meet on a busy machine, and no longer."""
LINKED = """\
locatorGroups:
  list:
    locators:
{locators}
taskGroups:
  list:
    linkTask:
      dataDef: links
      steps: {{ css: {{ link: {{ class: LocatorCreator, previous: parser, next: seeder }} }} }}
  page: {{ pageTask: {{ dataDef: text }} }}
dataDefs:
  links:
    query: {{ block: "ul" }}
    items:
      - item: {{ name: link, index: 1, linkGroup: page, selector: "li:nth-child(1) > a attribute: href" }}
      - item: {{ name: slow, index: 1, linkGroup: page, selector: "li:nth-child(2) > a attribute: href" }}
      - item: {{ name: more, index: 1, linkGroup: page, selector: "li:nth-child(3) > a attribute: href" }}
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""
LINKED_ROWS = Counter(
    f"l{number}|page|text|{text}"
    for number in range(2)
    for text in ("Brot, Käse und Öl", "Brot, Käse und Öl", "plain")
)


@pytest.fixture(autouse=True)
def delay(workspace: Workspace) -> None:
    """One request each 200 ms."""
    workspace.settings = {"scoopi.loader.fetch.delay": DELAY_MS}


@pytest.fixture
def parallelism() -> int:
    """The default, where a test says nothing else."""
    return 1


@pytest.fixture
def lists(pages: Path, parallelism: int) -> None:
    """Two pages, each with links to two slow pages and to a redirect."""
    for number in range(2):
        slow = [f"/bad/slow?ms={SLOW_MS[parallelism]}&of={number}.{turn}" for turn in (1, 2)]
        links = (*slow, f"/bad/redirect?to=/plain.html&of={number}")
        entries = "".join(f'<li><a href="{link}">more</a>' for link in links)
        (pages / f"list-{number}.html").write_text(f"<ul>{entries}</ul>")
    (pages / "plain.html").write_text("<p>plain</p>")


def write_definitions(workspace: Workspace, urls: Sequence[str]) -> None:
    """Definitions of these list pages and what they link to."""
    locators = "\n".join(f'      - {{ name: l{n}, url: "{url}" }}' for n, url in enumerate(urls))
    (workspace.folder / "defs.yml").write_text(LINKED.format(locators=locators))


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("parallelism", [1, 2, 4])
def test_requests_keep_delay_and_parallelism_over_redirects_and_links(
    workspace: Workspace, server: Server, pace: Pace, parallelism: int
) -> None:
    first = server.url("/bad/redirect?to=/list-0.html")
    write_definitions(workspace, [first, server.url("/list-1.html")])
    workspace.settings["scoopi.loader.fetch.parallelism"] = parallelism
    ended = workspace.process("run", "defs.yml", "--workers", 2)
    assert ended.code == 0, ended.err
    assert len(server.log.all()) == 1 + 3 + 2 * 4  # robots.txt, lists, slow pages, redirects with targets
    pace.assert_kept(DELAY_MS, parallelism, 0)
    assert_agrees(workspace, server)
    assert server.log.most_in_flight() >= min(parallelism, 3), "the promised parallelism was not used"


def assert_agrees(workspace: Workspace, server: Server, killed: int = 0) -> None:
    """The figures of the run are those of the server's log, whose clock is read a little later.

    Args:
        killed: number of processes that were killed, of each of which the last request may be missing.
    """
    figures = {each.host: each for each in read_request_figures((), workspace.folder / "output").hosts}
    for host in server.log.hosts():
        host_figures, gaps = figures[host], server.log.gaps(host)
        missing = len(server.log.all(host)) - host_figures.requests
        assert 0 <= missing <= killed
        assert host_figures.shortest_gap_ms is not None
        assert host_figures.shortest_gap_ms >= DELAY_MS
        assert missing or host_figures.shortest_gap_ms <= 1000 * min(gaps) + LATE_MS


@pytest.mark.usefixtures("lists")
def test_two_hosts_do_not_wait_for_each_other(workspace: Workspace, server: Server, pace: Pace) -> None:
    write_definitions(workspace, [server.url(f"/plain.html?{n}", host) for host in (0, 1) for n in range(6)])
    ended = workspace.process("run", "defs.yml", "--workers", 2)
    assert ended.code == 0, ended.err
    one, other = (server.log.all(server.host(number)) for number in (0, 1))
    assert (len(one), len(other)) == (7, 7), "six pages, and robots.txt"
    pace.assert_kept(DELAY_MS, 1, 0)
    pace.assert_kept(DELAY_MS, 1, 1)
    last_begin = max(one[0].started, other[0].started)
    first_end = min(one[-1].started, other[-1].started)
    assert last_begin < first_end, "one host was asked after the other"


@pytest.mark.usefixtures("lists")
def test_a_redirect_to_another_host_keeps_that_hosts_rate(
    workspace: Workspace, server: Server, pace: Pace
) -> None:
    target = server.url("/plain.html", 1)
    urls = [server.url(f"/bad/redirect?to={target}&n={n}") for n in range(3)]
    write_definitions(workspace, [*urls, *(server.url(f"/plain.html?{n}", 1) for n in range(3))])
    ended = workspace.process("run", "defs.yml", "--workers", 2)
    assert ended.code == 0, ended.err
    assert len(server.log.all(server.host(1))) == 7
    pace.assert_kept(DELAY_MS, 1, 0)
    pace.assert_kept(DELAY_MS, 1, 1)


@pytest.mark.usefixtures("lists")
def test_the_rate_holds_when_a_worker_is_killed(workspace: Workspace, server: Server, pace: Pace) -> None:
    write_definitions(workspace, [server.url(f"/list-{n}.html") for n in range(2)])
    running = workspace.start("run", "defs.yml", "--workers", 2, "--quiet")
    try:
        wait_until(lambda: len(server.log.all()) >= 3, "the third request", running=running)
        for worker in running.workers():
            kill(worker)
        assert running.wait(60) == 0
    finally:
        running.kill_all()
    pace.assert_kept(DELAY_MS, 1, 0)
    assert workspace.rows() == LINKED_ROWS


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_rate_holds_when_the_run_is_stopped_and_resumed(
    workspace: Workspace, server: Server, pace: Pace, number: signal.Signals
) -> None:
    write_definitions(workspace, [server.url(f"/list-{n}.html") for n in range(2)])
    running = workspace.start("run", "defs.yml", "--workers", 2, "--quiet")
    try:
        wait_until(lambda: len(server.log.all()) >= 3, "the third request", running=running)
        workers = running.workers()
        os.kill(running.process.pid, number)
        assert running.wait(60) == (-9 if number == signal.SIGKILL else 143)
        assert not orphans(workers)
        assert not workspace.left_behind()
    finally:
        running.kill_all()
    ended = workspace.process("resume", "--workers", 2)
    assert ended.code == 0, ended.err
    pace.assert_kept(DELAY_MS, 1, 0)
    assert_agrees(workspace, server, killed=number == signal.SIGKILL)
    assert workspace.rows() == LINKED_ROWS


@pytest.mark.usefixtures("lists")
def test_two_runs_of_the_user_share_the_rate_of_a_host_also_when_one_is_killed(
    workspace: Workspace, server: Server, pages: Path, pace: Pace
) -> None:
    (pages / "list.html").write_text("<ul><li><a href=/plain.html>more</a></ul>")
    write_definitions(workspace, [server.url(f"/list.html?{page}") for page in range(6)])
    runs = [
        workspace.start("run", "defs.yml", "--workers", 1, "-v", "--output", f"out-{n}") for n in range(3)
    ]
    try:
        wait_until(lambda: server.log.paths().count("/robots.txt") == 3, "the first requests", 60)
        runs[2].signal(signal.SIGKILL)
        assert [run.wait(60) for run in runs] == [0, 0, -signal.SIGKILL]
    finally:
        for run in runs:
            run.kill_all()
    pace.assert_kept(DELAY_MS, 1, 0)
    said = (workspace.folder / "stderr.txt").read_text()
    assert "sends requests too; they share the delay" in said
    assert [sum(workspace.rows(f"out-{number}").values()) for number in range(2)] == [6, 6]


@pytest.mark.usefixtures("lists")
def test_a_run_that_cannot_share_the_rate_reports_it(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(workspace.folder / "tmp"))
    (workspace.folder / "tmp").mkdir()
    (workspace.folder / "tmp" / f"scoopi-{os.geteuid()}-pace").mkdir()
    write_definitions(workspace, [server.url("/plain.html")])
    ended = workspace.process("run", "defs.yml", "--workers", 0)
    assert ended.code == 0, ended.err
    assert ended.err.count("the delays of hosts are not shared with other runs") == 1
