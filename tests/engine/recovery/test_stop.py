"""A stop reports what it waits for, a hang-up is one, and a run with nothing left is done."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.workspace import ROOT, Workspace, wait_until
from tests.reliability.process import ScoopiProcess
from tests.server.server import Server

DEFINITIONS = """\
locatorGroups:
  page: {{ locators: [ {locators} ] }}
taskGroups:
  page: {{ task: {{ dataDef: titles }} }}
dataDefs:
  titles:
    query: {{ block: "body", selector: "h1" }}
    items: [ item: {{ name: title, value: title }} ]
"""
SLOW = "/bad/slow?ms=700"
LIMIT_S = 30


@pytest.fixture(params=[0, 1], ids=["thread", "process"])
def workers(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


def _write(workspace: Workspace, server: Server, pages: int) -> None:
    urls = (f"{server.url(SLOW)}&page={number}" for number in range(pages))
    locators = ", ".join(f'{{ name: p, url: "{url}" }}' for url in urls)
    (workspace.folder / "d.yml").write_text(DEFINITIONS.format(locators=locators))


def _started(workspace: Workspace, server: Server, pages: int, workers: int) -> ScoopiProcess:
    """A run that has asked for its first page."""
    _write(workspace, server, pages)
    running = workspace.start("run", "d.yml", "--workers", workers)
    wait_until(server.log.pages, "the first page's request", running=running)
    return running


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path) as server:
        yield server


def test_a_run_whose_last_page_ends_after_the_signal_is_done(
    workspace: Workspace, site: Server, workers: int
) -> None:
    running = _started(workspace, site, 1, workers)
    running.signal(signal.SIGINT)
    assert running.wait(LIMIT_S) == 0
    said = (workspace.folder / "stderr.txt").read_text()
    assert re.search(r"\ndone in ", said), said
    assert "scoopi resume" not in said
    assert (workspace.run_json()["status"], workspace.run_json()["jobs"]["left"]) == ("done", 0)
    assert workspace.scoopi("resume").err == "nothing to resume: no unfinished run in output\n"


def test_the_first_signal_reports_what_is_waited_for_and_until_when(
    workspace: Workspace, site: Server, workers: int
) -> None:
    running = _started(workspace, site, 3, workers)
    running.signal(signal.SIGINT)
    assert running.wait(LIMIT_S) == 130
    said = (workspace.folder / "stderr.txt").read_text()
    first, second, *_ = said.splitlines()
    assert first.startswith("SIGINT: finishing running tasks")
    until = r"\d\d:\d\d:\d\d \(1\d s\)"
    pages = r"waiting for \d pages? being processed"
    assert re.fullmatch(rf"{pages}, until {until} at most; then what is done is published", second)


def test_a_hang_up_of_the_terminal_is_a_graceful_stop(
    workspace: Workspace, site: Server, workers: int
) -> None:
    """The terminal sends the signal to all processes of the run, and takes no message any more."""
    _write(workspace, site, 3)
    ours, theirs = os.openpty()
    words = ["-m", "scoopi", "run", "d.yml", "--workers", str(workers)]
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=workspace.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        stderr=theirs,
    )
    try:
        os.close(theirs)
        wait_until(site.log.pages, "the first page's request")
        os.close(ours)
        os.killpg(process.pid, signal.SIGHUP)
        assert process.wait(LIMIT_S) == 128 + signal.SIGHUP
    finally:
        process.kill()
    assert workspace.run_json()["status"] == "stopped"
    assert workspace.run_json()["jobs"]["done"] >= 1, "the page in work has ended"
    workspace.settings |= {"scoopi.loader.fetch.delay": 0}
    assert workspace.scoopi("resume", "--workers", 0).code == 0
    assert workspace.run_json()["jobs"]["done"] == 3


def test_a_run_under_nohup_survives_a_hang_up(workspace: Workspace, site: Server) -> None:
    _write(workspace, site, 1)
    process = subprocess.Popen(
        ["nohup", sys.executable, "-m", "scoopi", "run", "d.yml", "--workers", "0"],
        cwd=workspace.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_until(site.log.pages, "the first page's request")
        process.send_signal(signal.SIGHUP)
        assert process.wait(LIMIT_S) == 0
    finally:
        process.kill()
