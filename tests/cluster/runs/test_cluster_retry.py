"""`scoopi retry` of a run on several nodes: its failed tasks run again into its output, each row once."""

from __future__ import annotations

import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest

from scoopi.model.report.run_report import RunStatus
from scoopi.store.cluster.cluster_client import ClusterClient
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.cluster.table_defs import TABLES
from tests.engine.flaky_site import FlakySite
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World, build_world
from tests.server.answer import Answer
from tests.server.server import Server

ONCE = {"scoopi.retry.attempts": "1", "scoopi.run.retention": "3600"}
BOTH = {"scoopi.cluster.quorum.size": "2"}
MERGED = {"scoopi.output.merge": "true", "scoopi.output.durability": "shared"}
PAGES = 6


class Site:
    """A site whose pages with `-0` in their path fail until it recovers; it may kill a node that asks."""

    def __init__(self, folder: Path) -> None:
        self.lock = threading.Lock()
        self.victim: ScoopiProcess | None = None
        self.spared = 0
        self._is_broken = True
        self._pages = FlakySite(
            folder, lambda _request, _of_path, path: self._is_broken and "-0" in path, 404
        )

    def recover(self) -> None:
        self._is_broken = False

    def __call__(self, path: str) -> bytes | Answer | None:
        with self.lock:
            if self.victim is not None and path != "/robots.txt":
                if not self.spared:
                    self.victim.signal(signal.SIGKILL)
                self.spared -= 1
        return self._pages(path)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """The pages of shelf 0, and the first link of each other, fail."""
    return Site(tmp_path / "world" / "pages")


@pytest.fixture
def server(site: Site) -> Iterator[Server]:
    with Server(site) as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, server: Server) -> World:
    return build_world(tmp_path / "world", 4, 2, server.url(""))


@pytest.fixture(params=["postgresql"])
def runner_of(
    request: pytest.FixtureRequest, world: World, tmp_path: Path
) -> Iterator[Callable[..., NodeRunner]]:
    """Makes runners of one run in a cluster, or in a database of its own."""
    name = {"hazelcast": "cluster", "postgresql": "postgres_url"}[request.param]
    kept: ClusterClient | str = request.getfixturevalue(name)
    with ExitStack() as runners:
        yield lambda **changes: runners.enter_context(
            NodeRunner(kept, world.defs, tmp_path / "out", f"{tmp_path.name}-run", {**ONCE, **changes})
        )


def named(runner: NodeRunner) -> str:
    return f"scoopi.cluster.name={runner.name}"


def retry(runner: NodeRunner, *words: str) -> list[str]:
    """The command line that retries the run."""
    return runner.words("retry", str(runner.folder), "--workers", "0", *words)


@pytest.mark.parametrize("runner_of", ["hazelcast", "postgresql"], indirect=True)
def test_the_failed_tasks_run_again_into_the_output(
    runner_of: Callable[..., NodeRunner], world: World, site: Site, server: Server
) -> None:
    runner = runner_of(**BOTH)
    reports = runner.run("ann", "bob")
    failed = sum(report.jobs.failed for report in reports)
    hints = {report.retry_hint.split(" --", 1)[1] for report in reports if report.jobs.failed}
    assert hints == {f"store {runner.url}" if runner.url else f"cluster {runner.address} -D {named(runner)}"}
    assert runner.rows() < world.rows
    asked = len(server.log.pages())
    site.recover()
    code, _, err = runner.ask("retry", str(runner.folder), "--workers", "0")
    assert code == 0, err
    assert runner.rows() == world.rows
    # Only the failed pages are asked for, and what they link to.
    assert len(server.log.pages()) - asked == failed + 2
    code, _, err = runner.ask("retry", str(runner.folder), "--workers", "0")
    assert (code, "nothing to retry: " in err, "has no failed task" in err) == (0, True, True)
    assert runner.run("ann")[0].status is RunStatus.DONE
    assert runner.rows() == world.rows, "a node that joins the run later changes nothing"


@pytest.mark.parametrize("runner_of", ["hazelcast", "postgresql"], indirect=True)
def test_a_retry_that_is_killed_is_continued_with_each_row_once(
    runner_of: Callable[..., NodeRunner], world: World, site: Site, tmp_path: Path
) -> None:
    runner = runner_of()
    runner.run("ann")
    before = runner.rows()
    site.recover()
    for number in range(2):
        kill_at_a_request(runner, site, tmp_path / f"killed{number}", number)
        assert before <= runner.rows() <= world.rows
    code, _, err = runner.ask("resume", "--failed", str(runner.folder), "--workers", "0")
    assert code == 0, err
    assert runner.rows() == world.rows


def test_a_retry_that_is_killed_is_continued_by_nodes_that_join_the_run(
    runner_of: Callable[..., NodeRunner], world: World, site: Site, tmp_path: Path
) -> None:
    runner = runner_of()
    runner.run("ann")
    site.recover()
    kill_at_a_request(runner, site, tmp_path / "killed")
    assert {report.status for report in runner.run("ann", "bob")} == {RunStatus.DONE}
    assert runner.rows() == world.rows


def test_two_retries_at_once_share_the_failed_tasks(
    runner_of: Callable[..., NodeRunner], world: World, site: Site, tmp_path: Path
) -> None:
    runner = runner_of(**MERGED)
    runner.run("ann")
    assert runner.rows() < world.rows
    site.recover()
    nodes = [start(runner, tmp_path / name) for name in ("one", "two")]
    try:
        codes = {node.wait(LIMIT_S) for node in nodes}
    finally:
        for node in nodes:
            node.kill_all()
    said = [(tmp_path / name / "stderr.txt").read_text() for name in ("one", "two")]
    assert codes <= {0, 1}, f"{said}; 1: a node that read the counts before the other had published"
    assert runner.rows() == world.rows, said


def test_a_run_that_its_cluster_has_forgotten_cannot_be_retried(
    runner_of: Callable[..., NodeRunner], world: World
) -> None:
    runner = runner_of()
    runner.run("ann")
    rows = runner.rows()
    assert runner.ask("forget", runner.run_name)[0] == 0
    code, _, err = runner.ask("retry", str(runner.folder))
    assert (code, f"knows no run {runner.run_name!r}, or no longer" in err) == (5, True)
    assert "it keeps a finished run for scoopi.run.retention: start a new run" in err
    assert runner.rows() == rows


def start(runner: NodeRunner, folder: Path) -> ScoopiProcess:
    folder.mkdir()
    return ScoopiProcess([*retry(runner), "-q", "-D", "scoopi.cluster.liveness.gap=2000"], folder)


def kill_at_a_request(runner: NodeRunner, site: Site, folder: Path, spared: int = 0) -> None:
    """A retry begins, and is killed before one of its requests for a page is answered.

    Args:
        spared: how many requests are answered before.
    """
    with site.lock:
        running = site.victim = start(runner, folder)
        site.spared = spared
    try:
        assert running.wait(LIMIT_S) == -signal.SIGKILL
    finally:
        running.kill_all()
        site.victim = None


def test_rows_of_tables_stand_once_with_and_without_a_key(
    postgres_url: str, tmp_path: Path, site: Site, server: Server
) -> None:
    urls = ", ".join(f'"{server.url(f"/page-{number}.html")}"' for number in range(PAGES))
    (tmp_path / "world" / "pages").mkdir(parents=True)
    for number in range(PAGES):
        page = "".join(f"<li><b>{number}-{row}</b>" for row in range(2))
        (tmp_path / "world" / "pages" / f"page-{number}.html").write_text(page)
    defs = tmp_path / "defs.yml"
    defs.write_text(TABLES.format(urls=urls, postgres=postgres_url, sqlite=tmp_path / "rows.db"))
    expected = Counter(f"{number}-{row}" for number in range(PAGES) for row in range(2))
    with NodeRunner(postgres_url, defs, tmp_path / "out", "tables", dict(ONCE)) as runner:
        runner.run("ann", "bob")
        assert in_postgres(postgres_url, "plain") == expected - Counter(["0-0", "0-1"])
        site.recover()
        kill_at_a_request(runner, site, tmp_path / "killed")
        assert runner.ask("retry", str(runner.folder), "--workers", "0")[0] == 0
    assert in_postgres(postgres_url, "plain") == in_postgres(postgres_url, "keyed") == expected
    found: Counter[str] = Counter()
    for file in tmp_path.glob("rows*.db"):
        with closing(sqlite3.connect(file)) as connection:
            found += Counter(title for (title,) in connection.execute("SELECT title FROM plain"))
    assert found == expected


def in_postgres(database: str, table: str) -> Counter[str]:
    with psycopg.connect(database) as connection:
        return Counter(title for (title,) in connection.execute(f"SELECT title FROM {table}"))
