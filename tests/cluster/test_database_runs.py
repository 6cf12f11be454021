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
from tests.cluster.crew import LIMIT_S, Crew
from tests.engine.desk import wait_until
from tests.outputs.postgres_server import PostgresServer
from tests.reliability.world import World
from tests.server.server import Server

SHELVES, PACKETS = 10, 2
SLOW = {"scoopi.loader.fetch.delay": "100", "scoopi.loader.fetch.parallelism": "1"}
REQUESTS = 5


@pytest.fixture
def crew_of(postgres_url: str, world: World, tmp_path: Path) -> Iterator[Callable[..., Crew]]:
    """Makes crews of one run in a database of its own."""
    with ExitStack() as crews:
        yield lambda **changes: crews.enter_context(
            Crew(postgres_url, world.defs, tmp_path / "out", "shelves", changes)
        )


def await_requests(server: Server, number: int = REQUESTS) -> None:
    wait_until(lambda: len(server.log.all()) >= number, f"{number} requests", LIMIT_S)


def test_two_nodes_share_a_run_and_each_row_is_there_once(
    crew_of: Callable[..., Crew], world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = crew_of(**{"scoopi.cluster.quorum.size": "2"})
    reports = crew.run("ann", "bob")
    assert {report.status for report in reports} == {RunStatus.DONE}
    assert sum(report.jobs.done for report in reports) == world.jobs
    assert crew.rows() == world.rows
    assert len(server.log.pages()) == world.jobs
    code, out, err = crew.ask("status", "--json")
    found = json.loads(out)
    (run,) = found["runs"]
    assert (code, err, found["members"], found["is_database"]) == (0, "", [], True)
    assert (found["cluster"], run["phase"], run["jobs"]["done"]) == (crew.url, "OVER", world.jobs)
    assert [(node["node"], node["state"]) for node in run["nodes"]] == [("ann", "left"), ("bob", "left")]
    assert crew.ask("status")[1].startswith(f"database {crew.url}\n\nrun shelves  OVER\n")
    monkeypatch.chdir(crew.output.parent)
    code, out, err = crew.ask("rows", str(crew.folder))
    assert (code, err, sorted(out.splitlines())) == (0, "", sorted(world.rows.elements()))


def test_a_node_that_comes_when_the_run_is_over_reports_it(
    crew_of: Callable[..., Crew], world: World
) -> None:
    crew = crew_of()
    crew.run("ann")
    (report,) = crew.run("ann")
    assert (report.status, report.jobs.done) == (RunStatus.DONE, world.jobs)
    assert crew.rows() == world.rows


def test_a_cancelled_run_is_continued_by_nodes_that_come_later(
    crew_of: Callable[..., Crew], world: World, server: Server
) -> None:
    both = {"scoopi.cluster.quorum.size": "2"}  # no page is loaded before both have joined
    crew = crew_of(**{**SLOW, **both, "scoopi.loader.fetch.delay": "300"})
    nodes = [crew.start("ann"), crew.start("bob")]
    await_requests(server)
    code, out, said = crew.ask("cancel", crew.run_name)
    assert (code, out, "its nodes are shutting down" in said) == (0, "", True)
    reports = [node.result(LIMIT_S) for node in nodes]
    assert {code_of_report(report) for report in reports} == {130}
    quick = crew_of(**both)
    assert {report.status for report in quick.run("ann", "bob")} == {RunStatus.DONE}
    assert crew.rows() == world.rows


def test_a_run_that_is_removed_begins_again_under_its_name(
    crew_of: Callable[..., Crew], world: World
) -> None:
    crew = crew_of()
    crew.run("ann")
    code, out, err = crew.ask("forget", crew.run_name)
    assert (code, out, err) == (0, "", f"run {crew.run_name}: removed from the cluster\n")
    code, _, err = crew.ask("status", crew.run_name)
    assert (code, f"the database {crew.url} knows no run 'shelves'; it knows none" in err) == (5, True)
    crew.output = crew.output.parent / "again"
    assert crew.run("ann")[0].status is RunStatus.DONE
    assert crew.rows() == world.rows


def test_a_run_survives_a_restart_of_its_database(
    crew_of: Callable[..., Crew], world: World, server: Server, postgres: PostgresServer
) -> None:
    nodes = [crew_of(**SLOW).start(name) for name in ("ann", "bob")]
    await_requests(server)
    postgres.crash(1)
    assert {node.result(LIMIT_S).status for node in nodes} == {RunStatus.DONE}
    assert crew_of().rows() == world.rows


def test_nodes_give_up_when_their_database_stays_away_and_continue_when_it_is_back(
    crew_of: Callable[..., Crew], world: World, server: Server, postgres: PostgresServer
) -> None:
    crew = crew_of(**SLOW, **{"scoopi.cluster.reconnect.timeout": "1000"})
    node = crew.start("ann")
    await_requests(server)
    postgres.kill()
    try:
        with pytest.raises(ClusterError) as raised:
            node.result(LIMIT_S)
    finally:
        postgres.start()
    assert code_of_error(raised.value) == 5
    assert str(raised.value).startswith(f"{crew.url}: no call to the database has succeeded for ")
    assert str(raised.value).endswith("start it again, then this node")
    assert crew_of().run("ann")[0].status is RunStatus.DONE
    assert crew.rows() == world.rows


def test_what_names_no_database_is_one_clear_error(crew_of: Callable[..., Crew]) -> None:
    crew = crew_of()
    crew.url = "postgres"
    code, _, err = crew.ask("status")
    assert (code, err.startswith("scoopi: --store postgres names no store; write it as in ")) == (2, True)
    crew.url = "hazelcast://h:1/shop"
    code, _, err = crew.ask("status")
    assert (code, "/shop names the state of a scheduler" in err) == (2, True)
    crew.url = "postgresql://ann:s3cret@127.0.0.1:1/shop"
    code, _, err = crew.ask("status", "-D", "scoopi.cluster.connect.timeout=200")
    assert (code, "s3cret" in err) == (5, False)
    assert "postgresql://ann:***@127.0.0.1:1/shop: the database does not answer: " in err
    assert "(tried for 0.2 s); start it" in err
    code, _, err = crew.ask("status", "--cluster", "h:1")
    assert (code, "--store and --cluster both name where runs are kept" in err) == (2, True)
