"""Budgets of runs, groups and hosts: what is above them is skipped, reported, and never asked for."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.cli.exit_codes import DONE
from tests.engine.workspace import Workspace, wait_until
from tests.server.server import Server

PAGES = 12
DEFINITIONS = """\
locatorGroups:
  list: [ {{ name: page, n: 1-{pages}, url: "{base}/page/%{{n}}" }} ]
taskGroups:
  list:
    cards:
      dataDef: card
{group}
dataDefs:
  card: {{ each: p, fields: {{ title: b }} }}
sites:
  "*": {{ delay: {delay}, parallelism: 2 {site} }}
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A folder to run in."""
    monkeypatch.chdir(tmp_path)
    return Workspace(tmp_path)


def write(
    workspace: Workspace, base: str, *, group: str = "", site: str = "", pages: int = PAGES, delay: int = 0
) -> None:
    text = DEFINITIONS.format(pages=pages, base=base, group=group, site=site, delay=delay)
    (workspace.folder / "defs.yml").write_text(text)


@pytest.fixture
def shop() -> Iterator[Server]:
    """A site whose pages have a card of a thousand bytes each."""
    with Server(
        lambda path: b"<p><b>card</b>" + b"." * 1000 if path.startswith("/page/") else None
    ) as running:
        yield running


@pytest.fixture
def slow() -> Iterator[Server]:
    """A site whose pages, each with a card, take half a second."""
    never = threading.Event()

    def page(path: str) -> bytes | None:
        never.wait(0.5)
        return b"<p><b>card</b>" if path.startswith("/page/") else None

    with Server(page) as running:
        yield running


def page_paths(server: Server) -> list[str]:
    return [path for path in server.log.paths() if path.startswith("/page/")]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_ends_when_its_budget_is_used_up(workspace: Workspace, shop: Server, workers: int) -> None:
    write(workspace, shop.url(""))
    ended = workspace.scoopi("run", "defs.yml", "--workers", workers, "-D", "scoopi.budget.pages=5")

    report = workspace.run_json()
    assert (ended.code, report["status"], len(page_paths(shop))) == (DONE, "done", 5)
    assert report["jobs"] == {"done": 5, "failed": 0, "warned": 0, "left": 0, "skipped": 7}
    (cause,) = report["skipped"]
    assert (cause["cause"], cause["count"]) == ("the run's budget of 5 pages is used up", 7)
    assert report["budgets"] == ["the run's budget of 5 pages is used up"]
    assert "done, budget used up in" in ended.err
    assert workspace.rows(file="card.jsonl").total() == 5


def test_a_budget_that_suffices_changes_nothing(workspace: Workspace, shop: Server) -> None:
    write(workspace, shop.url(""), group=f"    budget: {{ pages: {PAGES} }}")
    ended = workspace.scoopi("run", "defs.yml", "--workers", 0)

    assert workspace.run_json()["jobs"]["done"] == PAGES
    assert workspace.run_json()["budgets"] == []
    assert "budget" not in ended.err


@pytest.mark.parametrize(
    ("group", "site", "cause"),
    [
        ("    budget: { pages: 4 }", "", "the group list's budget of 4 pages is used up"),
        ("", ", budget: { pages: 4 }", "127.0.0.1:PORT's budget of 4 pages is used up"),
    ],
)
def test_groups_and_hosts_have_budgets_of_their_own(
    workspace: Workspace, shop: Server, group: str, site: str, cause: str
) -> None:
    write(workspace, shop.url(""), group=group, site=site)
    workspace.scoopi("run", "defs.yml", "--workers", 1)

    assert len(page_paths(shop)) == 4
    (skipped,) = workspace.run_json()["skipped"]
    assert re.sub(r":[0-9]+'", ":PORT'", skipped["cause"]) == cause


def test_a_run_begins_no_page_after_so_many_bytes(workspace: Workspace, shop: Server) -> None:
    write(workspace, shop.url(""), pages=3000)
    workspace.scoopi("run", "defs.yml", "--workers", 1, "-D", "scoopi.budget.bytes=20000")

    report = workspace.run_json()
    assert 20 <= report["pages"] < 3000
    assert report["jobs"]["done"] + report["jobs"]["skipped"] == 3000
    assert report["budgets"] == ["the run's budget of 20,000 bytes is used up"]


def test_a_run_begins_no_page_after_its_time(workspace: Workspace, shop: Server) -> None:
    write(workspace, shop.url(""), pages=2000, delay=100)
    workspace.scoopi("run", "defs.yml", "--workers", 1, "-D", "scoopi.budget.time=1")

    report = workspace.run_json()
    assert report["pages"] < 200
    assert report["jobs"]["done"] + report["jobs"]["skipped"] == 2000


def test_pages_taken_in_advance_are_not_begun_after_the_time_of_their_group(
    workspace: Workspace, slow: Server
) -> None:
    write(workspace, slow.url(""), group="    budget: { time: 1 }", pages=30)
    workspace.scoopi("run", "defs.yml", "--workers", 1)

    report = workspace.run_json()
    assert 1 <= report["pages"] < 30, "two at a time, all of them take seven seconds"
    assert report["jobs"]["done"] + report["jobs"]["skipped"] == 30
    assert report["budgets"] == ["the group list's budget of 1 second is used up"]


def test_the_time_of_a_run_ends_the_wait_for_a_retry(workspace: Workspace) -> None:
    with Server(lambda path: None) as closed:
        url = closed.url("")
    write(workspace, url, pages=1)
    settings = (
        "scoopi.loader.robots=false",
        "scoopi.retry.delay=600000",
        "scoopi.retry.maxDelay=600000",
        "scoopi.budget.time=6",
    )
    workspace.scoopi("run", "defs.yml", "--workers", 1, *(word for each in settings for word in ("-D", each)))

    report = workspace.run_json()
    assert report["jobs"]["failed"] == 1
    (error,) = report["errors"]
    assert "not tried again: the run's budget of 6 seconds is used up" in error["cause"]


def test_a_resumed_run_keeps_what_it_has_used(workspace: Workspace, shop: Server) -> None:
    write(workspace, shop.url(""), delay=150)
    started = workspace.start("run", "defs.yml", "--workers", 1, "-D", "scoopi.budget.pages=8")
    wait_until(lambda: len(page_paths(shop)) >= 3, "three pages are asked for")
    started.signal(signal.SIGTERM)
    started.wait(60)
    before = len(page_paths(shop))
    workspace.scoopi("resume")

    assert 3 <= before < 8
    assert len(page_paths(shop)) == len(set(page_paths(shop))) == 8
    report = workspace.run_json()
    assert report["jobs"] == {"done": 8, "failed": 0, "warned": 0, "left": 0, "skipped": 4}
    assert report["budgets"] == ["the run's budget of 8 pages is used up"]
    assert workspace.rows(file="card.jsonl").total() == 8


def test_a_run_that_is_killed_while_it_skips_pages_loads_no_more_than_its_budget(
    workspace: Workspace, shop: Server
) -> None:
    write(workspace, shop.url(""), group="    budget: { pages: 5 }", pages=1000)
    # What is skipped has not ended when the run is killed, since nothing is committed so soon.
    late = ("-D", "scoopi.appender.commitInterval=60000")
    started = workspace.start("run", "defs.yml", "--workers", 1, *late)
    wait_until(lambda: len(page_paths(shop)) >= 5, "all pages of the budget are asked for")
    started.signal(signal.SIGKILL)
    started.wait(60)
    workspace.scoopi("resume", "-D", "scoopi.appender.commitInterval=10")

    assert len(set(page_paths(shop))) == 5
    assert workspace.run_json()["jobs"] == {"done": 5, "failed": 0, "warned": 0, "left": 0, "skipped": 995}
    assert workspace.rows(file="card.jsonl").total() == 5


def test_pages_that_the_time_has_ended_do_not_use_up_the_pages_of_their_group(
    workspace: Workspace, slow: Server
) -> None:
    budget = ", budget: { time: 2 }"
    write(workspace, slow.url(""), group="    budget: { pages: 20 }", site=budget, pages=60)
    ended = workspace.scoopi("run", "defs.yml", "--workers", 1)

    report, of_time = workspace.run_json(), f"127.0.0.1:{slow.port}'s budget of 2 seconds is used up"
    assert 1 <= report["pages"] < 20, "two at a time, twenty of them take five seconds"
    assert [each["cause"] for each in report["skipped"]] == report["budgets"] == [of_time]
    assert report["skipped"][0]["count"] == report["jobs"]["skipped"] == 60 - report["jobs"]["done"]
    assert of_time in ended.err
    assert "budget of 20 pages" not in ended.err.partition("done,")[2]


def test_failed_pages_are_asked_for_again_although_the_budget_was_used_up(workspace: Workspace) -> None:
    broken = True

    def page(path: str) -> bytes | None:
        return None if broken or not path.startswith("/page/") else b"<p><b>card</b>"

    with Server(page) as server:
        write(workspace, server.url(""))
        workspace.scoopi("run", "defs.yml", "--workers", 1, "-D", "scoopi.budget.pages=5")
        assert workspace.run_json()["jobs"]["failed"] == 5
        broken = False
        workspace.scoopi("retry")

    assert workspace.run_json()["jobs"]["failed"] == 0
    assert workspace.rows(file="card.jsonl").total() == 5


CRAWL = """\
locatorGroups: {{ page: "{base}/page/1" }}
taskGroups:
  page:
    titles: {{ dataDef: title, output: titles.csv }}
    links: {{ crawl: {{ same: host }} }}
dataDefs: {{ title: {{ fields: {{ title: b }} }} }}
"""


def test_a_budget_of_depth_skips_what_is_farther_away(workspace: Workspace) -> None:
    def page(path: str) -> bytes | None:
        number = int(path.rpartition("/")[2]) if path.startswith("/page/") else 0
        links = "".join(f"<a href=/page/{n}>{n}</a>" for n in (2 * number, 2 * number + 1))
        return f"<b>{number}</b>{links}".encode() if number else None

    with Server(page) as tree:
        (workspace.folder / "defs.yml").write_text(CRAWL.format(base=tree.url("")))
        words = ["-D", "scoopi.budget.depth=2", "-D", "scoopi.loader.fetch.delay=0"]
        ended = workspace.scoopi("run", "defs.yml", "--workers", 0, *words)
        assert sorted(page_paths(tree)) == sorted(f"/page/{number}" for number in range(1, 8))
    (skipped,) = workspace.run_json()["skipped"]
    assert (skipped["cause"], skipped["count"]) == ("the run's budget of 2 links in depth is used up", 8)
    assert "done, budget used up in" in ended.err
