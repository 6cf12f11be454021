"""Two nodes have one budget of pages, also if one of them is killed while it loads and is started again."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World
from tests.server.server import Server

BUDGET, PAGES, PARALLEL = 30, 300, 4
HEAD = "text,address"
BUDGETS = {
    "run": ("", "", {"scoopi.budget.pages": f"{BUDGET}"}),
    "group": (f"budget: {{ pages: {BUDGET} }}", "", {}),
    "host": ("", f'sites: {{ "127.0.0.1": {{ budget: {{ pages: {BUDGET} }} }} }}', {}),
}
DEFINITIONS = """\
locatorGroups: {{ pages: {{ url: "{url}%{{n}}", n: 1-{pages} }} }}
taskGroups:
  pages:
    {of_group}
    texts: {{ dataDef: text, output: data.csv }}
dataDefs: {{ text: {{ fields: {{ text: p, address: {{ value: "%{{page.url}}" }} }} }} }}
{of_host}
"""


@pytest.fixture
def world(tmp_path: Path, server: Server, scope: str) -> World:
    (tmp_path / "defs").mkdir()
    of_group, of_host, _ = BUDGETS[scope]
    url = server.url("/bad/slow?ms=50&page=")
    text = DEFINITIONS.format(url=url, pages=PAGES, of_group=of_group, of_host=of_host)
    (tmp_path / "defs" / "defs.yml").write_text(text)
    return World(tmp_path / "defs", Counter(), PAGES)


def start(runner: NodeRunner, name: str, folder: Path) -> ScoopiProcess:
    folder.mkdir(exist_ok=True)
    return ScoopiProcess(runner.arguments(name), folder)


@pytest.mark.parametrize("scope", BUDGETS)
def test_a_node_that_is_killed_neither_takes_of_the_budget_nor_gives_it_again(
    runner_of: Callable[..., NodeRunner], server: Server, tmp_path: Path, scope: str
) -> None:
    """Two nodes exceed a budget by what both take at the same time, at most by once the budget."""
    changes = {"scoopi.loader.fetch.parallelism": f"{PARALLEL}", "scoopi.cluster.quorum.size": "2"}
    runner = runner_of(**changes, **BUDGETS[scope][2])
    nodes = {name: start(runner, name, tmp_path / name) for name in ("ann", "bob")}
    try:
        wait_until(lambda: len(server.log.pages()) >= BUDGET // 3, "requests", LIMIT_S, nodes["ann"])
        nodes["ann"].signal(signal.SIGKILL)
        assert nodes["ann"].wait(LIMIT_S) == -signal.SIGKILL
        seen_at_kill = len(server.log.pages())
        nodes["ann"] = start(runner, "ann", tmp_path / "ann")
        assert [node.wait(LIMIT_S) for node in nodes.values()] == [0, 0]
    finally:
        for node in nodes.values():
            node.kill_all()
    rows = runner.rows("data*.csv")
    assert rows.pop(HEAD) >= 1
    assert {*rows.values()} == {1}
    assert BUDGET <= rows.total() <= 2 * BUDGET, rows.total()
    asked = Counter(seen.path for seen in server.log.pages())
    assert max(asked.values()) <= 2
    assert asked.total() - rows.total() <= seen_at_kill, "only what the killed node had not committed"
    code, out, _ = runner.ask("status", runner.run_name, "--json")
    jobs = json.loads(out)["runs"][0]["jobs"]
    assert (code, jobs["done"] + jobs.get("skipped", 0)) == (0, PAGES), jobs
