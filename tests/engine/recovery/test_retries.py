"""Pages that fail to load are tried again: no row is lost, none comes twice, and it survives a kill."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path

import pytest

from tests.engine.flaky_site import Fails, FlakySite, each, first
from tests.engine.workspace import Workspace, wait_until
from tests.reliability.world import World, build_world
from tests.server.server import Server

FAST = {
    "scoopi.loader.fetch.delay": 0,
    "scoopi.loader.fetch.errorDelay": 0,
    "scoopi.loader.robots": "false",
    "scoopi.retry.delay": 20,
    "scoopi.retry.jitter": 0,
}
ADDRESS = "127.0.0.1"
Build = Callable[..., tuple[World, Server]]


@pytest.fixture
def build(tmp_path: Path, workspace: Workspace) -> Iterator[Build]:
    """Sites of 12 pages that fail some requests."""
    with ExitStack() as opened:

        def build(
            fails: Fails,
            status: int = 503,
            headers: tuple[tuple[str, str], ...] = (),
            closed: tuple[str, ...] = (),
        ) -> tuple[World, Server]:
            site = FlakySite(tmp_path / "world" / "pages", fails, status, headers)
            served = opened.enter_context(Server(site, closed=closed))
            return build_world(tmp_path / "world", 4, 2, served.url("")), served

        workspace.settings = dict(FAST)
        yield build


@pytest.mark.parametrize("workers", [0, 2])
def test_a_host_that_fails_every_fifth_request_loses_no_row(
    workspace: Workspace, build: Build, workers: int
) -> None:
    world, server = build(each(5))
    ended = workspace.scoopi("run", world.defs, "--workers", workers)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows
    assert len(server.log.all()) > world.jobs


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_transient_status_is_asked_for_again(workspace: Workspace, build: Build, status: int) -> None:
    world, server = build(first(1), status)
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    assert workspace.rows() == world.rows
    assert len(server.log.all()) == 2 * world.jobs


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_a_permanent_status_is_asked_for_once(workspace: Workspace, build: Build, status: int) -> None:
    world, server = build(first(1, "packet-0-0"), status)
    ended = workspace.scoopi("run", world.defs, "--workers", 0)
    assert ended.code == 1
    assert len(server.log.all()) == world.jobs


def test_a_site_that_is_down_for_two_seconds_loses_no_job(workspace: Workspace, build: Build) -> None:
    world, server = build(first(0), closed=(ADDRESS,))
    del workspace.settings["scoopi.retry.delay"]
    server.open_after(ADDRESS, 2.0)
    ended = workspace.scoopi("run", world.defs, "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows


def test_a_page_is_not_asked_for_before_its_wait_is_over(workspace: Workspace, build: Build) -> None:
    world, server = build(first(3, "shelf-0"))
    workspace.settings["scoopi.retry.delay"] = 200
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    asked = [seen.started for seen in server.log.all() if seen.path == "/shelf-0.html"]
    gaps = [after - before for before, after in pairwise(asked)]
    assert len(gaps) == 3
    assert all(gap >= wait_s for gap, wait_s in zip(gaps, (0.2, 0.4, 0.8), strict=True)), gaps


def test_a_page_is_not_asked_for_before_the_server_wants_it(workspace: Workspace, build: Build) -> None:
    world, server = build(first(1, "shelf-0"), 503, (("Retry-After", "1"),))
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    before, after = (seen.started for seen in server.log.all() if seen.path == "/shelf-0.html")
    assert after - before >= 1.0


def test_a_page_that_never_loads_fails_with_its_attempts_and_the_last_cause(
    workspace: Workspace, build: Build
) -> None:
    world, server = build(first(99, "shelf-0"))
    workspace.settings["scoopi.retry.attempts"] = 3
    ended = workspace.scoopi("run", world.defs, "--workers", 0)
    assert ended.code == 1
    report = workspace.run_json()
    (error,) = report["errors"]
    assert error["cause"] == "loader: the site answered with status 503"
    assert error["example"]["attempts"] == 3
    assert "job shelf0:shelf, task titleTask,packetTask, step loader, 3 attempts" in ended.err
    assert report["retries"] == {
        "jobs": 1,
        "retries": 2,
        "reasons": {"status 503": 2},
        "most": [{"job": "shelf0:shelf", "url": server.url("/shelf-0.html"), "attempts": 3}],
        "used_up": [],
    }
    assert "retries 2 of 1 page: 2 status 503" in ended.err
    assert len([seen for seen in server.log.all() if seen.path == "/shelf-0.html"]) == 3


def test_attempts_survive_a_kill_and_a_resume(workspace: Workspace, build: Build) -> None:
    world, server = build(first(99, "shelf-0"))
    workspace.settings |= {"scoopi.retry.attempts": 3, "scoopi.retry.delay": 400}

    def asked() -> int:
        return len([seen for seen in server.log.all() if seen.path == "/shelf-0.html"])

    for attempt in (1, 2):
        kill_after(workspace, world, attempt, asked)
    assert workspace.scoopi("resume", "--workers", 0).code == 1
    assert asked() == 3
    (error,) = workspace.run_json()["errors"]
    assert error["example"]["attempts"] == 3


def kill_after(workspace: Workspace, world: World, attempt: int, asked: Callable[[], int]) -> None:
    """Run, or resume, and kill the process when the page waits after that attempt."""
    running = workspace.start(
        "resume" if workspace.runs() else "run", *[world.defs] * (not workspace.runs()), "-q"
    )
    try:
        wait_until(lambda: asked() == attempt, f"attempt {attempt}", running=running)
        wait_until(lambda: waits(workspace, attempt), "the wait in the store", running=running)
        running.signal(signal.SIGKILL)
        running.wait(60)
    finally:
        running.kill_all()


def waits(workspace: Workspace, attempts: int) -> bool:
    """Whether a job waits in the run's store after `attempts` attempts."""
    (file,) = workspace.run_folder().glob(".scoopi/*/store.db")
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        found = store.execute("SELECT value FROM jobs WHERE state_key LIKE 'W/%'").fetchall()
    return any(value.count(b"status 503") == attempts for (value,) in found)


def test_a_run_is_not_over_while_a_job_waits_and_stops_at_once_when_asked(
    workspace: Workspace, build: Build
) -> None:
    world, _ = build(first(99, "shelf-0"))
    workspace.settings["scoopi.retry.delay"] = 60_000
    running = workspace.start("run", world.defs, "--workers", 0)
    try:
        wait_until(lambda: workspace.runs() and waits(workspace, 1), "the wait in the store", running=running)
        running.signal(signal.SIGINT)
        assert running.wait(60) == 130
    finally:
        running.kill_all()
    assert workspace.run_json()["jobs"]["left"] >= 1
    assert workspace.run_json()["jobs"]["failed"] == 0


def test_a_run_whose_budget_is_used_up_stops_retrying_and_says_so(workspace: Workspace, build: Build) -> None:
    world, server = build(first(99, "shelf"))
    workspace.settings["scoopi.retry.perRun"] = 3
    ended = workspace.scoopi("run", world.defs, "--workers", 0)
    assert ended.code == 1
    assert "the run's budget of 3 retries is used up (scoopi.retry.perRun)" in ended.err
    assert len(server.log.all()) == 4 + 3
    report = workspace.run_json()
    assert report["jobs"]["failed"] == 4
    assert report["retries"]["used_up"] == ["the run's budget of 3 retries is used up (scoopi.retry.perRun)"]


def test_a_budget_counts_the_retries_of_earlier_processes(workspace: Workspace, build: Build) -> None:
    world, server = build(first(99, "shelf"))
    workspace.settings |= {"scoopi.retry.perRun": 6, "scoopi.retry.attempts": 100, "scoopi.retry.delay": 1200}
    running = workspace.start("run", world.defs, "-q")
    try:
        wait_until(lambda: len(server.log.all()) >= 4 + 4, "a second attempt at each", running=running)
        wait_until(lambda: waits(workspace, 2), "the wait in the store", running=running)
        running.signal(signal.SIGKILL)
        running.wait(60)
    finally:
        running.kill_all()
    asked = len(server.log.all())
    assert workspace.scoopi("resume", "--workers", 0).code == 1
    assert len(server.log.all()) - asked <= 4 + 2


def test_a_site_has_retries_of_its_own(workspace: Workspace, build: Build) -> None:
    world, server = build(first(99, "shelf-0"))
    (world.defs / "sites.yml").write_text('sites: { "127.*": { retry: { attempts: 2 } } }')
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 1
    assert len([seen for seen in server.log.all() if seen.path == "/shelf-0.html"]) == 2
