"""Pages that are crawled, listed and given by rows and ranges, on nodes of which one is killed."""

from __future__ import annotations

import asyncio
import csv
import gzip
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from scoopi import Scoopi
from scoopi.model.records import read_records
from scoopi.outputs.target import stream_of
from scoopi.publishing.committed_rows import CommittedRows
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.jobs.job_store import JobStore
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.process import ScoopiProcess
from tests.server.answer import Answer
from tests.server.exchange import Exchange
from tests.server.misbehaviours import Misbehaviour
from tests.server.request_log import Seen
from tests.server.server import Server

PAGES = 24
LAST_OF_LIST = 12
HELD_PAGE = "/list/7"
"""It and what follows in its list is there only after the kill, so that no run is over before it."""
NODES = ("ann", "bob", "cid")
FEW_PAGES = 8
GROUPS = ("site", "list", "listed", "news", "row", "asked", "range")
STREAMS = [stream_of(group, "ads" if group == "list" else "titles") for group in GROUPS]
"""What the records of the groups are called in frames."""
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
  page: { meta: [ page ], fields: { title: h1, more: { value: "-" } } }
  ad: { meta: [ page ], each: li, fields: { title: b, more: { value: ad } } }
  town: { meta: [ page ], fields: { title: h1, more: { parent: town } } }
  range: { meta: [ page ], fields: { title: h1, more: { parent: m } } }
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


class PageSite:
    """A server of the pages on four hosts, one page of which is held back.

    Attributes:
        may_continue: while it is not set, nobody gets the held page.
    """

    def __init__(self) -> None:
        self.server = Server(self._answer, route=self._held)
        self.may_continue = threading.Event()

    def with_hosts(self, text: str) -> str:
        """The text with the addresses of the hosts."""
        for number in range(len(self.server.addresses)):
            text = text.replace(f"HOST{number}", self.server.url("", number))
        return text

    def _answer(self, path: str) -> bytes:
        body = page(path)
        if body[:2] == b"\x1f\x8b":
            return gzip.compress(self.with_hosts(gzip.decompress(body).decode()).encode())
        return self.with_hosts(body.decode()).encode()

    def _held(self, seen: Seen) -> tuple[str, Misbehaviour] | None:
        return ("held", self._answer_late) if seen.path == HELD_PAGE else None

    async def _answer_late(self, exchange: Exchange) -> None:
        await asyncio.to_thread(self.may_continue.wait, LIMIT_S)
        await exchange.send(Answer(self._answer(HELD_PAGE)))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[PageSite]:
    """The site, beside definitions of all its pages and the rows that they read."""
    site = PageSite()
    with site.server:
        (tmp_path / "defs").mkdir()
        (tmp_path / "defs" / "defs.yml").write_text(site.with_hosts(DEFINITIONS))
        rows = "".join(f"{n},town {n}\n" for n in range(PAGES))
        (tmp_path / "defs" / "rows.csv").write_text(f"n,town\n{rows}")
        with sqlite3.connect(tmp_path / "defs" / "rows.db") as database:
            database.execute("CREATE TABLE pages (n)")
            database.executemany("INSERT INTO pages VALUES (?)", ((n,) for n in range(PAGES)))
        database.close()
        yield site
        site.may_continue.set()


def rows_of(folder: Path) -> Counter[tuple[str, ...]]:
    with (folder / "pages.csv").open(newline="") as file:
        return Counter(tuple(row) for row in csv.reader(file))


class EndedPages:
    """Which pages of a run have ended, by the node whose rows of them count."""

    def __init__(self, folder: Path, store: HazelcastStore) -> None:
        self._jobs = JobStore(store, "0" * 16)  # of nobody, since it takes no job
        self._rows = {node: self._rows_of(folder / ".scoopi" / node) for node in NODES}
        self._paths: dict[str, set[str]] = {node: set() for node in NODES}

    def paths(self) -> set[str]:
        """As the server logs them."""
        for node, rows in self._rows.items():
            for part in rows.poll():
                urls = (urlsplit(str(record[0])) for record in read_records(part.body))
                self._paths[node].update(f"{url.path}?{url.query}".rstrip("?") for url in urls)
        return set().union(*self._paths.values())

    def busy_node(self) -> str:
        """The node with the most of them, once it has a few, or "": which one that is, is not settled."""
        self.paths()
        node = max(NODES, key=lambda each: len(self._paths[each]))
        return node if len(self._paths[node]) >= FEW_PAGES else ""

    def _rows_of(self, node_folder: Path) -> CommittedRows:
        return CommittedRows(lambda: node_folder.glob("segments/*.seg"), self._jobs, STREAMS)


def test_a_killed_node_has_only_those_pages_asked_for_again_that_had_not_ended(
    tmp_path: Path, site: PageSite, cluster: ClusterClient
) -> None:
    defs, log = tmp_path / "defs", site.server.log
    site.may_continue.set()
    alone = Scoopi(defs, SETTINGS | {"scoopi.loader.fetch.delay": "0"}, output=tmp_path / "alone", environ={})
    report = alone.run()
    expected, asked = rows_of(Path(report.folder)), Counter(log.paths())
    assert (report.errors, report.jobs.failed) == ((), 0)
    assert expected.total() == 6 * PAGES + 3 * (LAST_OF_LIST + 1) + 1
    assert {*asked.values()} == {1}
    log.clear()
    site.may_continue.clear()
    with NodeRunner(
        cluster, defs, tmp_path / "out", f"{tmp_path.name}-run", {**SETTINGS, **SHARED}
    ) as runner:
        store = HazelcastStore(cluster, runner.run_name)
        ended = EndedPages(runner.folder, store)
        nodes = [ScoopiProcess(runner.arguments(node), tmp_path) for node in NODES]
        try:
            wait_until(lambda: ended.busy_node() != "", "pages of a node that have ended", LIMIT_S)
            killed = ended.busy_node()
            nodes[NODES.index(killed)].signal(signal.SIGKILL)
            assert nodes[NODES.index(killed)].wait(LIMIT_S) == -signal.SIGKILL
            kept, asked_before = ended.paths(), len(log.all())
            site.may_continue.set()
            others = [process for node, process in zip(NODES, nodes, strict=True) if node != killed]
            assert [process.wait(LIMIT_S) for process in others] == [0, 0]
        finally:
            for process in nodes:
                process.kill_all()
        store.destroy()
    assert rows_of(runner.folder) == expected
    assert {*log.paths()} == asked.keys()
    assert kept.isdisjoint(log.paths()[asked_before:])
