"""Pages that are crawled, listed and given by rows and ranges, on nodes of which one is killed."""

from __future__ import annotations

import csv
import gzip
import signal
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from tests.cluster.crew import LIMIT_S, Crew
from tests.engine.desk import wait_until
from tests.reliability.process import ScoopiProcess
from tests.server.server import Server

PAGES = 24
LAST_OF_LIST = 12
NODES = ("ann", "bob", "cid")
SETTINGS = {"scoopi.loader.fetch.delay": "60", "scoopi.loader.robots": "false"}
SHARED = {"scoopi.output.durability": "shared", "scoopi.output.merge": "true"}
DEFINITIONS = """\
locatorGroups:
  site: "HOST0/site/1"
  list: "HOST1/list/1"
  listed: { from: sitemap, url: "HOST2/sitemap.xml", match: /listed/ }
  news: { from: feed, url: "HOST3/feed.xml" }
  row: { from: rows.csv, url: "HOST2/row/%{n}?town=%{town}" }
  asked: { from: { database: "sqlite:rows.db", query: "select n from pages" }, url: "HOST3/asked/%{n}" }
  range: { locators: [ { name: "%{n}", url: "HOST1/range/%{n}/%{m}", n: 1-6, m: [ a, b, c, d ] } ] }
taskGroups:
  site: { titles: { dataDef: page, output: pages.csv }, links: { crawl: { depth: 9 } } }
  list:
    ads: { dataDef: ad, output: pages.csv }
    more: { next: { select: "a.next @href", until: no-new-items } }
  listed: { titles: { dataDef: page, output: pages.csv } }
  news: { titles: { dataDef: page, output: pages.csv } }
  row: { titles: { dataDef: town, output: pages.csv } }
  asked: { titles: { dataDef: page, output: pages.csv } }
  range: { titles: { dataDef: range, output: pages.csv } }
dataDefs:
  page: { fields: { title: h1, more: { value: "-" } } }
  ad: { each: li, fields: { title: b, more: { value: ad } } }
  town: { fields: { title: h1, more: { parent: town } } }
  range: { fields: { title: h1, more: { parent: m } } }
"""


def page(path: str) -> bytes:
    """A page of the site; `/list` shows its last page again for every higher number."""
    kind, _, rest = path.partition("?")[0].strip("/").partition("/")
    if kind == "site":
        at = int(rest)
        links = {2 * at, 2 * at + 1, max(at // 2, 1), 1 + (7 * at) % PAGES} & {*range(1, PAGES + 1)}
        return f"<h1>site {rest}</h1>{''.join(f'<a href=/site/{n}>to {n}</a>' for n in links)}".encode()
    if kind == "list":
        at = min(int(rest), LAST_OF_LIST)
        items = "".join(f"<li><b>ad {at}.{n}</b>" for n in range(3))
        return f"<ul>{items}</ul><a class=next href=/list/{int(rest) + 1}>next</a>".encode()
    if kind == "sitemap.xml":
        maps = "".join(f"<sitemap><loc>HOST2/{name}</loc></sitemap>" for name in ("a.xml", "b.xml.gz"))
        return f"<?xml version='1.0'?><sitemapindex>{maps}</sitemapindex>".encode()
    if kind in ("a.xml", "b.xml.gz"):
        numbers = range(0, PAGES, 2) if kind == "a.xml" else range(1, PAGES)
        urls = "".join(
            f"<url><loc>HOST2/listed/{n}</loc></url><url><loc>HOST2/other/{n}</loc></url>" for n in numbers
        )
        body = f"<?xml version='1.0'?><urlset>{urls}</urlset>".encode()
        return gzip.compress(body) if kind.endswith(".gz") else body
    if kind == "feed.xml":
        items = "".join(f"<item><link>HOST3/news/{n}</link></item>" for n in range(PAGES))
        return f"<?xml version='1.0'?><rss><channel>{items}</channel></rss>".encode()
    return f"<h1>{kind} {rest}</h1>".encode()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A site on four hosts, beside definitions of all its pages and the rows that they read."""
    hosts: list[str] = []

    def with_hosts(text: str) -> str:
        for number, host in enumerate(hosts):
            text = text.replace(f"HOST{number}", host)
        return text

    def answer(path: str) -> bytes:
        body = page(path)
        if body[:2] == b"\x1f\x8b":
            return gzip.compress(with_hosts(gzip.decompress(body).decode()).encode())
        return with_hosts(body.decode()).encode()

    with Server(answer) as site:
        hosts += [site.url("", number) for number in range(4)]
        (tmp_path / "defs").mkdir()
        (tmp_path / "defs" / "defs.yml").write_text(with_hosts(DEFINITIONS))
        rows = "".join(f"{n},town {n}\n" for n in range(PAGES))
        (tmp_path / "defs" / "rows.csv").write_text(f"n,town\n{rows}")
        with sqlite3.connect(tmp_path / "defs" / "rows.db") as database:
            database.execute("CREATE TABLE pages (n)")
            database.executemany("INSERT INTO pages VALUES (?)", ((n,) for n in range(PAGES)))
        database.close()
        yield site


def rows_of(folder: Path) -> Counter[tuple[str, ...]]:
    with (folder / "pages.csv").open(newline="") as file:
        return Counter(tuple(row) for row in csv.reader(file))


def node_with_rows(folder: Path) -> str:
    """The node with the most rows so far, or "": which of them is the first to get pages is not settled."""
    sizes = {
        node: sum(file.stat().st_size for file in folder.glob(f".scoopi/{node}/segments/*.seg"))
        for node in NODES
    }
    node = max(NODES, key=sizes.__getitem__)
    return node if sizes[node] > 1000 else ""


def test_each_page_gives_its_rows_once_though_a_node_is_killed(
    tmp_path: Path, server: Server, cluster: ClusterClient
) -> None:
    defs = tmp_path / "defs"
    alone = Scoopi(defs, SETTINGS | {"scoopi.loader.fetch.delay": "0"}, output=tmp_path / "alone", environ={})
    report = alone.run()
    expected, asked = rows_of(Path(report.folder)), Counter(each.path for each in server.log.all())
    assert (report.errors, report.jobs.failed) == ((), 0)
    assert expected.total() == 6 * PAGES + 3 * (LAST_OF_LIST + 1) + 1
    assert {*asked.values()} == {1}
    before = len(server.log.all())
    with Crew(cluster, defs, tmp_path / "out", f"{tmp_path.name}-run", {**SETTINGS, **SHARED}) as crew:
        nodes = [ScoopiProcess(crew.arguments(node), tmp_path) for node in NODES]
        try:
            ends = dict(zip(NODES, [0, 0, 0], strict=True))
            wait_until(lambda: node_with_rows(tmp_path / "out" / crew.run_name), "rows", LIMIT_S)
            killed = node_with_rows(tmp_path / "out" / crew.run_name)
            nodes[NODES.index(killed)].signal(signal.SIGKILL)
            ends[killed] = -signal.SIGKILL
            assert [node.wait(LIMIT_S) for node in nodes] == [*ends.values()]
        finally:
            for node in nodes:
                node.kill_all()
        HazelcastStore(cluster, crew.run_name).destroy()
    assert rows_of(tmp_path / "out" / crew.run_name) == expected
    again = Counter(each.path for each in server.log.all()[before:])
    assert again.keys() == asked.keys()
    repeated = sum(count - 1 for count in again.values())
    assert repeated < PAGES, "only what the killed node had not committed is asked for twice"
