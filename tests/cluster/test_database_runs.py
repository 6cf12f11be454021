"""Runs whose nodes share a PostgreSQL database in place of a Hazelcast cluster, and the verbs that ask it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.cli.exit_codes import code_of_error, code_of_report
from scoopi.errors import ClusterError
from scoopi.model.report.run_report import RunStatus
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.outputs.postgres_server import PostgresServer
from tests.reliability.world import World
from tests.server.server import Server

SHELVES, PACKETS = 10, 2
SLOW = {"scoopi.loader.fetch.delay": "100", "scoopi.loader.fetch.parallelism": "1"}
REQUESTS = 5


@pytest.fixture
def runner_of(postgres_url: str, world: World, tmp_path: Path) -> Iterator[Callable[..., NodeRunner]]:
    """Makes runners of one run in a database of its own."""
    with ExitStack() as runners:
        yield lambda **changes: runners.enter_context(
            NodeRunner(postgres_url, world.defs, tmp_path / "out", "shelves", changes)
        )


def await_requests(server: Server, number: int = REQUESTS) -> None:
    wait_until(lambda: len(server.log.all()) >= number, f"{number} requests", LIMIT_S)


def test_two_nodes_share_a_run_and_each_row_is_there_once(
    runner_of: Callable[..., NodeRunner], world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = runner_of(**{"scoopi.cluster.quorum.size": "2"})
    reports = runner.run("ann", "bob")
    assert {report.status for report in reports} == {RunStatus.DONE}
    assert sum(report.jobs.done for report in reports) == world.jobs
    assert runner.rows() == world.rows
    assert len(server.log.pages()) == world.jobs
    code, out, err = runner.ask("status", "--json")
    found = json.loads(out)
    (run,) = found["runs"]
    assert (code, err, found["members"], found["is_database"]) == (0, "", [], True)
    assert (found["cluster"], run["phase"], run["jobs"]["done"]) == (runner.url, "OVER", world.jobs)
    assert [(node["node"], node["state"]) for node in run["nodes"]] == [("ann", "left"), ("bob", "left")]
    assert runner.ask("status")[1].startswith(f"database {runner.url}\n\nrun shelves  OVER\n")
    monkeypatch.chdir(runner.output.parent)
    code, out, err = runner.ask("rows", str(runner.folder))
    assert (code, err, sorted(out.splitlines())) == (0, "", sorted(world.rows.elements()))


def test_a_node_that_comes_when_the_run_is_over_reports_it(
    runner_of: Callable[..., NodeRunner], world: World
) -> None:
    runner = runner_of()
    runner.run("ann")
    (report,) = runner.run("ann")
    assert (report.status, report.jobs.done) == (RunStatus.DONE, world.jobs)
    assert runner.rows() == world.rows


def test_a_cancelled_run_is_continued_by_nodes_that_come_later(
    runner_of: Callable[..., NodeRunner], world: World, server: Server
) -> None:
    both = {"scoopi.cluster.quorum.size": "2"}  # no page is loaded before both have joined
    runner = runner_of(**{**SLOW, **both, "scoopi.loader.fetch.delay": "300"})
    nodes = [runner.start("ann"), runner.start("bob")]
    await_requests(server)
    code, out, said = runner.ask("cancel", runner.run_name)
    assert (code, out, "its nodes are shutting down" in said) == (0, "", True)
    reports = [node.result(LIMIT_S) for node in nodes]
    assert {code_of_report(report) for report in reports} == {130}
    quick = runner_of(**both)
    assert {report.status for report in quick.run("ann", "bob")} == {RunStatus.DONE}
    assert runner.rows() == world.rows


def test_a_run_that_is_removed_begins_again_under_its_name(
    runner_of: Callable[..., NodeRunner], world: World
) -> None:
    runner = runner_of()
    runner.run("ann")
    code, out, err = runner.ask("forget", runner.run_name)
    assert (code, out, err) == (0, "", f"run {runner.run_name}: removed from the cluster\n")
    code, _, err = runner.ask("status", runner.run_name)
    assert (code, f"the database {runner.url} knows no run 'shelves'; it knows none" in err) == (5, True)
    runner.output = runner.output.parent / "again"
    assert runner.run("ann")[0].status is RunStatus.DONE
    assert runner.rows() == world.rows


def test_a_run_survives_a_restart_of_its_database(
    runner_of: Callable[..., NodeRunner], world: World, server: Server, postgres: PostgresServer
) -> None:
    nodes = [runner_of(**SLOW).start(name) for name in ("ann", "bob")]
    await_requests(server)
    postgres.crash(1)
    assert {node.result(LIMIT_S).status for node in nodes} == {RunStatus.DONE}
    assert runner_of().rows() == world.rows


def test_nodes_give_up_when_their_database_stays_away_and_continue_when_it_is_back(
    runner_of: Callable[..., NodeRunner], world: World, server: Server, postgres: PostgresServer
) -> None:
    runner = runner_of(**SLOW, **{"scoopi.cluster.reconnect.timeout": "1000"})
    node = runner.start("ann")
    await_requests(server)
    postgres.kill()
    try:
        with pytest.raises(ClusterError) as raised:
            node.result(LIMIT_S)
    finally:
        postgres.start()
    assert code_of_error(raised.value) == 5
    assert str(raised.value).startswith(f"{runner.url}: no call to the database has succeeded for ")
    assert str(raised.value).endswith("start it again, then this node")
    assert runner_of().run("ann")[0].status is RunStatus.DONE
    assert runner.rows() == world.rows


def test_what_names_no_database_is_one_clear_error(runner_of: Callable[..., NodeRunner]) -> None:
    runner = runner_of()
    runner.url = "postgres"
    code, _, err = runner.ask("status")
    assert (code, err.startswith("scoopi: --store postgres names no store; write it as in ")) == (2, True)
    runner.url = "hazelcast://h:1/shop"
    code, _, err = runner.ask("status")
    assert (code, "/shop names the state of a scheduler" in err) == (2, True)
    runner.url = "postgresql://ann:s3cret@127.0.0.1:1/shop"
    code, _, err = runner.ask("status", "-D", "scoopi.cluster.connect.timeout=200")
    assert (code, "s3cret" in err) == (5, False)
    assert "postgresql://ann:***@127.0.0.1:1/shop: the database does not answer: " in err
    assert "(tried for 0.2 s); start it" in err
    code, _, err = runner.ask("status", "--cluster", "h:1")
    assert (code, "--store and --cluster both name where runs are kept" in err) == (2, True)
