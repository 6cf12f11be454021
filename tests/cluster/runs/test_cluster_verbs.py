"""`scoopi status` and `scoopi cancel`, and nodes that come when their run is over, on a real member."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from scoopi.cli.exit_codes import code_of_report
from scoopi.model.report.run_report import RunStatus
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.world import World
from tests.server.server import Server

SHELVES, PACKETS = 10, 2
BOTH = {"scoopi.cluster.quorum.size": "2"}
"""No page is loaded before both nodes have joined."""
SLOW = {**BOTH, "scoopi.loader.fetch.delay": "300", "scoopi.loader.fetch.parallelism": "1"}


def figures_of(runner: NodeRunner) -> Any:
    """What `status --json` shows of the run."""
    code, out, err = runner.ask("status", runner.run_name, "--json")
    assert (code, err) == (0, "")
    (run,) = json.loads(out)["runs"]
    return run


def test_cancel_stops_every_node_and_nodes_that_come_later_go_on(
    runner_of: Callable[..., NodeRunner], world: World, server: Server
) -> None:
    runner = runner_of(**SLOW)
    nodes = [runner.start("ann"), runner.start("bob")]
    wait_until(lambda: len(server.log.all()) >= 5, "the fifth request", LIMIT_S)
    code, out, said = runner.ask("cancel", runner.run_name)
    assert (code, out) == (0, "")
    assert said.endswith(f"run {runner.run_name}: its nodes are shutting down\n")
    reports = [node.result(LIMIT_S) for node in nodes]
    assert {report.status for report in reports} == {RunStatus.STOPPED}
    assert {code_of_report(report) for report in reports} == {130}
    left = figures_of(runner)
    assert left["phase"] == "RUNNING"
    assert {node["state"] for node in left["nodes"]} == {"left"}
    assert left["jobs"]["ready"] > 0
    assert left["jobs"]["taken"] == 0
    assert 0 < runner.rows().total() < world.rows.total()
    quick = runner_of(**BOTH, **{"scoopi.loader.fetch.delay": "0", "scoopi.loader.fetch.parallelism": "4"})
    assert {report.status for report in quick.run("ann", "bob")} == {RunStatus.DONE}
    assert runner.rows() == world.rows
    code, _, said = runner.ask("cancel", runner.run_name)
    assert (code, said) == (0, f"run {runner.run_name}: nothing to stop, it has finished\n")


def test_status_shows_nodes_jobs_and_shares_of_a_run_under_way(
    runner_of: Callable[..., NodeRunner], world: World, server: Server
) -> None:
    runner = runner_of(**SLOW)
    nodes = [runner.start("ann"), runner.start("bob")]
    wait_until(lambda: len(server.log.all()) >= 3, "the third request", LIMIT_S)
    run: Any = None

    def has_ended_jobs() -> bool:
        nonlocal run
        run = figures_of(runner)
        return bool(run["jobs"]["done"])

    wait_until(has_ended_jobs, "the end of a job", LIMIT_S)
    assert (run["phase"], run["seeded"]) == ("RUNNING", True)
    assert [node["node"] for node in run["nodes"]] == ["ann", "bob"]
    assert {node["state"] for node in run["nodes"]} <= {"alive", "silent"}, "silent while the machine is busy"
    assert "alive" in {node["state"] for node in run["nodes"]}
    assert run["jobs"]["ready"] + run["jobs"]["taken"] > 0
    (host,) = run["hosts"]
    assert host["host"] == server.url("").removeprefix("http://").rstrip("/")
    assert {share["node"] for share in host["shares"]} | set(host["waiting"]) <= {"ann", "bob"}
    code, out, _ = runner.ask("status")
    lines = [line.split() for line in out.splitlines()]
    assert code == 0
    assert ["run", runner.run_name, "RUNNING"] in lines
    assert ["nodes", "node", "state", "taken", "ended", "pages", "pages/s"] in lines
    for node in nodes:
        node.result(LIMIT_S)
    ended = figures_of(runner)
    assert (ended["phase"], {node["state"] for node in ended["nodes"]}) == ("OVER", {"left"})
    assert ended["jobs"].pop("done") == world.jobs
    assert not any(ended["jobs"].values())
    assert sum(node["pages"] for node in ended["nodes"]) == world.jobs


@pytest.mark.parametrize("verb", ["status", "cancel"])
def test_a_run_that_the_cluster_does_not_know_is_said_so(
    runner_of: Callable[..., NodeRunner], verb: str
) -> None:
    code, out, err = runner_of().ask(verb, "nosuch")
    assert (code, out) == (5, "")
    assert "knows no run 'nosuch'" in err


def test_without_a_cluster_both_verbs_ask_for_one_and_name_what_does_not_answer(
    runner_of: Callable[..., NodeRunner],
) -> None:
    runner = runner_of()
    runner.address = "127.0.0.1:9"
    code, _, err = runner.ask("status", "-D", "scoopi.cluster.connect.timeout=200")
    assert code == 5
    assert "127.0.0.1:9 cannot be reached" in err
    runner.address = ""
    code, _, err = runner.ask("cancel", "x")
    assert code == 2
    assert "add --cluster HOST:PORT" in err
