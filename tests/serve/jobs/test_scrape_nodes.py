"""A scrape on several nodes: they share a run over the scheduler's store, and its rows are published once."""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from scoopi.store.cluster.cluster_client import ClusterClient
from tests.serve.jobs.test_scrape_attempt import DEFS, Site, scraped_site, titles
from tests.serve.serving import SCOOPI, SOON_S, Serving, until

RUN_S = 240.0
"""How long a run may take on a busy machine, also when it waits until a node counts as lost."""
PAGE_S = 5.0
"""How long a page takes until a test has seen what it waits for. What is stopped waits for its pages."""
PAGES = 200
"""More than a run may have loaded, at this pace, when the last `serve` of a test begins on a busy machine."""
LIVENESS_GAP_MS = 4000
BOOKS = "books: {executes: {scrape: books, nodes: 2}}"


@pytest.fixture(params=["hazelcast", "postgresql"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Serving:
    """A project whose records are in a store that nodes can share."""
    serving = Serving(tmp_path)
    if request.param == "postgresql":
        serving.environ |= {"SCOOPI_STORE": request.getfixturevalue("postgres_url")}
        return serving
    client: ClusterClient = request.getfixturevalue("cluster")
    url = f"hazelcast://{client.settings.addresses[0]}/test-{uuid.uuid4().hex}"
    serving.environ |= {"SCOOPI_STORE": url, "SCOOPI_CLUSTER_NAME": client.settings.name}
    return serving


@pytest.fixture
def site(shared: Serving) -> Iterator[Site]:
    """A site whose pages take long until a test expedites it."""
    shared.environ |= {"SCOOPI_CLUSTER_LIVENESS_GAP": str(LIVENESS_GAP_MS)}
    with scraped_site(shared, delay_ms=10, page_s=PAGE_S, pages=PAGES) as site:
        yield site


def node(serving: Serving) -> dict[str, Any]:
    """The second node of the attempt; without a status before there is one."""
    found = [each for row in serving.rows("attempt", "list", "--job", "books/!1") for each in row["nodes"]]
    return dict(found[0]) if found else {"status": None}


def check_every_row_is_published_once(serving: Serving) -> None:
    attempt = serving.attempt("books/!1/1")
    assert (attempt["status"], attempt["outputs"]["rows"], attempt["outputs"]["failed"]) == (
        "succeeded",
        PAGES,
        0,
    )
    assert attempt["outputs"]["files"] == [str(serving.folder / "output/books/!1/data.txt")]
    found = titles(serving, "!1")
    assert len(found) == len({line.split()[-1] for line in found}) == PAGES


def works_in(serving: Serving, name: str) -> list[int]:
    """The processes that work in a folder of this name."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(serving.folder):
                found += [int(entry.name)] if (entry / "cwd").readlink().name == name else []
    return found


def succeeds(serving: Serving, *words: str) -> bool:
    """Whether a verb ends with 0."""
    done = subprocess.run(
        [*SCOOPI, *words], cwd=serving.folder, env=serving.environ, capture_output=True, check=False
    )
    return done.returncode == 0


def test_two_nodes_of_one_serve_publish_every_row_once(shared: Serving, site: Site) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "2"):
        until(lambda: node(shared)["status"] == "running")
        assert "node 2 runs on" in shared.rows("job", "why", "books/!1")[0]["reason"]
        until(lambda: works_in(shared, "node-2"))
        site.expedited.set()
        until(lambda: shared.job("books/!1") == "processed", RUN_S)
    check_every_row_is_published_once(shared)


def test_a_run_whose_first_node_loses_its_worker_is_resumed_with_every_row_once(
    shared: Serving, site: Site
) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "1", "--name", "one") as one:
        until(lambda: site.requested)
        with shared.served("--slots", "2", "--name", "two"):
            until(lambda: node(shared)["status"] == "running")
            assert (shared.attempt("books/!1/1")["worker"], node(shared)["worker"]) == ("one", "two")
            until(lambda: works_in(shared, "node-2"))
            one.send_signal(signal.SIGKILL)
            until(lambda: shared.attempt("books/!1/1")["worker"] == "two")
            site.expedited.set()
            until(lambda: shared.job("books/!1") == "processed", RUN_S)
    check_every_row_is_published_once(shared)
    assert (shared.attempt("books/!1/1")["worker"], shared.attempt("books/!1/1")["fence"]) == ("two", 2)


def test_a_node_whose_worker_is_lost_is_placed_again(shared: Serving, site: Site) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "1", "--name", "one"):
        until(lambda: site.requested)
        with shared.served("--slots", "1", "--name", "two"):
            until(lambda: works_in(shared, "node-2"))
        with shared.served("--slots", "1", "--name", "three"):
            until(lambda: node(shared)["worker"] == "three" and works_in(shared, "node-2"))
            site.expedited.set()
            until(lambda: shared.job("books/!1") == "processed", RUN_S)
    check_every_row_is_published_once(shared)
    assert shared.attempt("books/!1/1")["fence"] == 1


@pytest.mark.parametrize("mode", ["step", "kill"])
def test_a_cancel_ends_all_nodes(shared: Serving, site: Site, mode: str) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "2"):
        until(lambda: node(shared)["status"] == "running")
        shared.run("job", "cancel", "books/!1", "--mode", mode)
        until(lambda: shared.job("books/!1") == "skipped")
        until(lambda: shared.rows("worker", "list")[0]["used"] == 0)
    assert not (shared.folder / "output/books/!1").exists()


def test_a_cancel_that_drains_lets_all_nodes_finish(shared: Serving, site: Site) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "2"):
        until(lambda: node(shared)["status"] == "running")
        shared.run("job", "cancel", "books/!1", "--mode", "drain")
        until(lambda: works_in(shared, "node-2"))
        site.expedited.set()
        until(lambda: shared.job("books/!1") == "processed", RUN_S)
    check_every_row_is_published_once(shared)


@pytest.mark.parametrize("leaving", ["one", "two"])
def test_a_serve_that_is_stopped_hands_its_node_to_another_one(
    shared: Serving, site: Site, leaving: str
) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "1", "--name", "one") as one:
        until(lambda: site.requested)
        with shared.served("--slots", "1", "--name", "two") as two:
            until(lambda: works_in(shared, "node-2"))
            with shared.served("--slots", "1", "--name", "three"):
                left = {"one": one, "two": two}[leaving]
                left.terminate()
                assert left.wait(SOON_S) == 128 + signal.SIGTERM
                until(lambda: "three" in (shared.attempt("books/!1/1")["worker"], node(shared)["worker"]))
                site.expedited.set()
                until(lambda: shared.job("books/!1") == "processed", RUN_S)
    check_every_row_is_published_once(shared)
    assert len(shared.rows("attempt", "list", "--job", "books/!1")) == 1


def test_serves_that_are_all_lost_at_once_resume_the_run_when_they_are_back(
    shared: Serving, site: Site
) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with (
        shared.served("--slots", "1", "--name", "one") as one,
        shared.served("--slots", "1", "--name", "two") as two,
    ):
        until(lambda: works_in(shared, "node-2"))
        for each in (one, two):
            each.send_signal(signal.SIGKILL)
    with (
        shared.served("--slots", "1", "--name", "one"),
        shared.served("--slots", "1", "--name", "two"),
    ):
        until(lambda: shared.attempt("books/!1/1")["fence"] > 1 and works_in(shared, "node-2"))
        site.expedited.set()
        until(lambda: shared.job("books/!1") == "processed", RUN_S)
    check_every_row_is_published_once(shared)
    assert len(shared.rows("attempt", "list", "--job", "books/!1")) == 1


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_the_others_finish_the_run_of_a_node_whose_process_is_lost(
    shared: Serving, site: Site, sent: signal.Signals
) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "2"):
        until(lambda: works_in(shared, "node-2"))
        for pid in works_in(shared, "node-2"):
            os.kill(pid, sent)
        site.expedited.set()
        until(lambda: shared.job("books/!1") == "processed", RUN_S)
        until(lambda: not works_in(shared, "node-2"))
    check_every_row_is_published_once(shared)
    assert len(shared.rows("attempt", "list", "--job", "books/!1")) == 1


def test_the_log_of_a_node_is_read_on_another_machine(shared: Serving, site: Site) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "1", "--name", "one"):
        until(lambda: site.requested)
        with shared.served("--slots", "1", "--name", "two", "--state", "elsewhere"):
            until(lambda: node(shared)["status"] == "running")
            assert "until then" in shared.errors("attempt", "log", "books/!1/1", "--node", "2", code=2)
            until(lambda: works_in(shared, "node-2"))
            for pid in works_in(shared, "node-2"):
                Path(f"/proc/{pid}/fd/2").write_text("printed by the second node\n")
            site.expedited.set()
            until(lambda: shared.job("books/!1") == "processed", RUN_S)
            own = shared.run("attempt", "log", "books/!1/1", "--node", "2", "--state", "elsewhere")
            until(lambda: succeeds(shared, "attempt", "log", "books/!1/1", "--node", "2"))
    log = shared.run("attempt", "log", "books/!1/1", "--node", "2")
    assert "printed by the second node" in own
    assert "printed by the second node" in log
    assert "printed by" not in shared.run("attempt", "log", "books/!1/1")
    assert "it has nodes 1 to 2" in shared.errors("attempt", "log", "books/!1/1", "--node", "3", code=2)


def test_several_nodes_need_a_store_that_they_can_share(serving: Serving) -> None:
    serving.write("books/books.yml", DEFS % '      - { name: p, url: "http://127.0.0.1:1/" }')
    serving.write("jobs.yml", f"processes:\n  {BOOKS}\n")
    text = serving.errors("deploy", "jobs", code=3)
    assert "jobs.yml:2" in text
    assert "executes: 2 nodes of books need a store that they share" in text
    assert "leave nodes out" in text
