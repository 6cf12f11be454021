"""A retry belongs to the run, not to its node: it is shown while it waits, and made by another node."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World
from tests.server.answer import Answer
from tests.server.server import Server

WAIT_S = 12.0
"""Longer than it takes to see that the job waits, and to kill its node."""
DEFINITIONS = """\
locatorGroups:
  pages: {{ locators: [ {{ name: p, url: "{url}" }} ] }}
taskGroups:
  pages: {{ textTask: {{ dataDef: text }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""


class FailsOnce:
    """A site of one page, whose first answer is 503."""

    def __init__(self) -> None:
        self.has_failed = False

    def __call__(self, path: str) -> bytes | Answer | None:
        if path == "/page" and not self.has_failed:
            self.has_failed = True
            return Answer(b"", 503)
        return b"<p>bread" if path == "/page" else None


@pytest.fixture
def site() -> Iterator[Server]:
    with Server(FailsOnce()) as site:
        yield site


@pytest.fixture
def world(tmp_path: Path, site: Server) -> World:
    (tmp_path / "defs").mkdir()
    (tmp_path / "defs" / "defs.yml").write_text(DEFINITIONS.format(url=site.url("/page")))
    return World(tmp_path / "defs", Counter(["p|pages|text|bread"]), 1)


def run_of(runner: NodeRunner) -> Any:
    """What `status --json` shows of the run; None while the cluster does not know it."""
    code, out, _ = runner.ask("status", runner.run_name, "--json")
    return json.loads(out)["runs"][0] if code == 0 else None


def waiting(runner: NodeRunner) -> Any:
    """How many jobs wait for a retry."""
    run = run_of(runner)
    return run and run["jobs"]["waiting"]


def test_a_retry_whose_node_is_killed_is_shown_as_waiting_and_made_by_another_node(
    runner_of: Callable[..., NodeRunner], world: World, site: Server, tmp_path: Path
) -> None:
    waits = {"scoopi.retry.delay": f"{WAIT_S * 1000:.0f}", "scoopi.retry.jitter": "0"}
    runner = runner_of(**waits, **{"scoopi.cluster.quorum.size": "2"})
    nodes = {name: start(runner, name, tmp_path / name) for name in ("ann", "bob")}
    try:
        wait_until(lambda: waiting(runner), "the wait", LIMIT_S, nodes["ann"])
        jobs = run_of(runner)["jobs"]
        assert (jobs["ready"], jobs["waiting"], jobs["taken"], jobs["done"]) == (0, 1, 0, 0)
        assert 0 < jobs["retry_in_s"] <= WAIT_S
        said = {name: (tmp_path / name / "stderr.txt").read_text() for name in nodes}
        (holder,) = (name for name in nodes if "tried again in" in said[name])
        nodes[holder].signal(signal.SIGKILL)
        assert nodes[holder].wait(LIMIT_S) == -signal.SIGKILL
        assert len(site.log.pages()) == 1, "the machine is too slow: the wait was over before the kill"
        (other,) = (node for name, node in nodes.items() if name != holder)
        assert other.wait(LIMIT_S) == 0
    finally:
        for node in nodes.values():
            node.kill_all()
    assert runner.rows() == world.rows
    first, second = site.log.pages()
    assert second.started - first.started >= WAIT_S


def start(runner: NodeRunner, name: str, folder: Path) -> ScoopiProcess:
    """A node as a process of its own."""
    folder.mkdir()
    return ScoopiProcess([*runner.arguments(name), "-v"], folder)
