"""A scrape on several nodes: they share a run over the scheduler's store, and its rows are published once."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoopi.store.cluster.cluster_client import ClusterClient
from tests.serve.serving import Serving, until
from tests.serve.test_scrape_attempt import DEFS, PAGES, Site, serving_pages, titles

BOOKS = "books: {executes: {scrape: books, nodes: 2}}"


@pytest.fixture(params=["hazelcast", "postgresql"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Serving:
    """A project whose records are in a store that nodes can share."""
    serving = Serving(tmp_path)
    if request.param == "postgresql":
        serving.environ |= {"SCOOPI_STORE": request.getfixturevalue("postgres_url")}
        return serving
    client: ClusterClient = request.getfixturevalue("cluster")
    url = f"hazelcast://{client.settings.addresses[0]}/test-{tmp_path.name.lower()[:20]}"
    serving.environ |= {"SCOOPI_STORE": url, "SCOOPI_CLUSTER_NAME": client.settings.name}
    return serving


@pytest.fixture
def site(shared: Serving) -> Iterator[Site]:
    site = Site()
    with serving_pages(site):
        lines = [f'      - {{ name: p{n}, url: "{site.url}/{n}" }}' for n in range(PAGES)]
        shared.write("books/books.yml", DEFS % "\n".join(lines))
        shared.environ |= {"SCOOPI_LOADER_FETCH_DELAY": "500", "SCOOPI_WORKERS": "0"}
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


def test_two_nodes_of_one_serve_publish_every_row_once(shared: Serving, site: Site) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "2"):
        until(lambda: node(shared)["status"] == "running")
        assert "node 2 runs on" in shared.rows("job", "why", "books/!1")[0]["reason"]
        until(lambda: shared.job("books/!1") == "processed")
    check_every_row_is_published_once(shared)


def test_a_run_whose_first_node_loses_its_worker_is_resumed_with_every_row_once(
    shared: Serving, site: Site
) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "1", "--name", "one") as one:
        until(lambda: len(site.requested) > 2)
        with shared.served("--slots", "2", "--name", "two"):
            until(lambda: node(shared)["status"] == "running")
            assert (shared.attempt("books/!1/1")["worker"], node(shared)["worker"]) == ("one", "two")
            one.send_signal(signal.SIGKILL)
            until(lambda: shared.job("books/!1") == "processed")
    check_every_row_is_published_once(shared)
    assert (shared.attempt("books/!1/1")["worker"], shared.attempt("books/!1/1")["fence"]) == ("two", 2)


def test_a_node_whose_worker_is_lost_is_placed_again(shared: Serving, site: Site) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "1", "--name", "one"):
        until(lambda: len(site.requested) > 2)
        with shared.served("--slots", "1", "--name", "two"):
            until(lambda: node(shared)["status"] == "running")
        with shared.served("--slots", "1", "--name", "three"):
            until(lambda: shared.job("books/!1") == "processed")
    check_every_row_is_published_once(shared)
    assert shared.attempt("books/!1/1")["fence"] == 1


def test_a_cancel_ends_all_nodes(shared: Serving, site: Site) -> None:
    shared.deploy(BOOKS)
    shared.run("launch", "books")
    with shared.served("--slots", "2"):
        until(lambda: node(shared)["status"] == "running")
        shared.run("job", "cancel", "books/!1")
        until(lambda: shared.job("books/!1") == "skipped")
        until(lambda: shared.rows("worker", "list")[0]["used"] == 0)
    assert not (shared.folder / "output/books/!1").exists()


def test_several_nodes_need_a_store_that_they_can_share(serving: Serving) -> None:
    serving.write("books/books.yml", DEFS % '      - { name: p, url: "http://127.0.0.1:1/" }')
    serving.write("jobs.yml", f"processes:\n  {BOOKS}\n")
    text = serving.errors("deploy", "jobs", code=3)
    assert "jobs.yml:2" in text
    assert "executes: 2 nodes of books need a store that they share" in text
    assert "leave nodes out" in text
