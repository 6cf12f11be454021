"""Hosts in trouble beside good ones: what they cost the good ones, and whether a row is lost.

`python -m tests.benchmarks.runs.troubled_hosts [--hosts 10000] [--dead 1000] [--latency 0] [--repeat 3]`

1. A host that answers every fifth request with 503, beside a good one: rows lost, and the good host's time,
   alone and beside the other.
2. Many hosts with a page each, of which some never answer: pages per second of the good ones, without and
   with those that never answer, in turn; and the processor time of the run meanwhile, which another load on
   the machine changes less. A host that never answers should cost no more of it than one that does. The time
   counts from the first robots.txt on: how many of them are read before the first page may differ. Without
   `--latency` the processors decide how fast a run is, with it the hosts and the places for requests.
3. As many pages of few hosts: what it costs that each host has a robots.txt, a connection and a place in the
   store of its own. Without a delay, as the few hosts would take hours with one.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from threading import Event

import msgspec

from tests.engine.dead_hosts import DeadHosts
from tests.engine.workspace import Workspace, wait_until
from tests.server.answer import Answer
from tests.server.connection import Route, by_name
from tests.server.exchange import Exchange
from tests.server.misbehaviours import PAGE
from tests.server.server import Server
from tests.site.misbehaving_site import MisbehavingSite

DEFINITIONS = """\
locatorGroups:
  page:
    locators:
{locators}
taskGroups:
  page: {{ textTask: {{ dataDef: text }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p:nth-child(1)" }}
    items: [ item: {{ name: text, value: text }} ]
"""
GOOD, FLAPPING = "plain", "fifth-503"
LIMIT_S = 600.0


class Beside(msgspec.Struct, frozen=True):
    """A good host, with or without one in trouble beside it.

    Attributes:
        rows: that came out.
        good_s: from the first to the last request to the good host.
        refused: requests that the other one answered with 503.
        last_good: whether the good host was the last to be asked.
    """

    rows: int
    good_s: float
    refused: int
    last_good: bool


class Rate(msgspec.Struct, frozen=True):
    """Good hosts of one page each.

    Attributes:
        pages: that they were asked for.
        seconds: from the first request, which is for a robots.txt, to the last page.
        cpu_s: processor time of the run's processes, from its first page to its last.
    """

    pages: int
    seconds: float
    cpu_s: float = 0.0

    @property
    def per_second(self) -> float:
        """Pages per second."""
        return self.pages / self.seconds if self.seconds else 0.0


def write(workspace: Workspace, urls: Sequence[str]) -> None:
    """Definitions with these pages."""
    lines = "\n".join(f'      - {{ name: p{number}, url: "{url}" }}' for number, url in enumerate(urls))
    (workspace.folder / "defs.yml").write_text(DEFINITIONS.format(locators=lines))


def beside(folder: Path, names: Sequence[str], pages: int, delay_ms: int, workers: object = 1) -> Beside:
    """Load `pages` pages of each of these hosts of the misbehaving site."""
    folder.mkdir(parents=True)
    workspace = Workspace(folder)
    workspace.settings = {"scoopi.loader.fetch.delay": delay_ms, "scoopi.retry.delay": 200}
    with MisbehavingSite(folder) as site:
        query = {"good": 4, "bad": 1, "first": "good"}
        write(workspace, [site.url(name, f"/{page}", **query) for page in range(pages) for name in names])
        ended = workspace.process("run", "defs.yml", "--workers", workers)
        assert ended.code in (0, 1), ended.err
        seen = [each for each in site.log.all() if not each.path.endswith("/robots.txt")]
        good = [each for each in seen if each.host == site.host(GOOD)]
        refused = sum(each.status == 503 for each in seen)
    rows = workspace.rows().total()
    return Beside(rows, good[-1].started - good[0].started, refused, seen[-1] in good)


def rate(
    folder: Path,
    good: int,
    dead: int = 0,
    workers: object = 1,
    *,
    pages_each: int = 1,
    timeout_ms: int = 10_000,
    delay_ms: int = 1000,
    latency_ms: int = 0,
) -> Rate:
    """Load the pages of each host until all good ones were asked; the others are not waited for.

    Args:
        timeout_ms: how long a request to a host that never answers is in flight.
        latency_ms: until a good host answers, as over a network.
    """
    folder.mkdir(parents=True)
    workspace = Workspace(folder)
    workspace.settings = {
        "scoopi.webClient.connectTimeout": timeout_ms,
        "scoopi.loader.fetch.delay": delay_ms,
    }
    with ExitStack() as opened:
        pages = _Pages(good * pages_each)
        route = pages.after(latency_ms) if latency_ms else by_name
        server = opened.enter_context(Server(pages, addresses=["0.0.0.0"], route=route))
        silent = opened.enter_context(DeadHosts())
        hosts = [f"http://{_address(number)}:{server.port}/" for number in range(good)]
        urls = [f"{host}?{page}" for page in range(pages_each) for host in hosts]
        step = max(1, len(urls) // max(1, dead))
        for number, url in enumerate(silent.urls(dead)):
            urls.insert(number * (step + 1), url)
        write(workspace, urls)
        running = workspace.start("run", "defs.yml", "--workers", workers)
        try:
            wait_until(lambda: pages.count > 0, "the first page", LIMIT_S, running)
            pids = [running.process.pid, *running.workers()]
            before_s = sum(map(cpu_s, pids))
            wait_until(lambda: pages.count >= len(hosts) * pages_each, "all good pages", LIMIT_S, running)
            spent_s = sum(map(cpu_s, pids)) - before_s
            pages.are_counted.set()
            asked = server.log.all()
            seen = [each for each in asked if not each.path.endswith("/robots.txt")]
        finally:
            running.kill_all()
            running.wait(10)
    return Rate(len(seen), seen[-1].started - asked[0].started, spent_s)


def cpu_s(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _compare(base: Path, given: argparse.Namespace) -> None:
    """The second part: rounds in turn, and their medians."""
    good = given.hosts - given.dead
    ratios: list[tuple[float, float]] = []
    for number in range(given.repeat):
        after_ms = given.latency
        without = rate(base / f"without-{number}", good, 0, given.workers, latency_ms=after_ms)
        beside_dead = rate(base / f"with-{number}", good, given.dead, given.workers, latency_ms=after_ms)
        ratios.append((beside_dead.per_second / without.per_second, beside_dead.cpu_s / without.cpu_s))
        print(f"{good:,} hosts: {without.per_second:,.0f} pages/s, {without.cpu_s:.1f} s of processor time")
        print(f"  beside {given.dead:,} that never answer: {beside_dead.per_second:,.0f}", end=", ")
        print(f"{beside_dead.cpu_s:.1f} s", flush=True)
    speed, cpu = (median(each) for each in zip(*ratios, strict=True))
    print(
        f"  medians: {speed:.2f} of the speed, {cpu:.2f} of the time, {given.hosts / good:.2f} of the hosts"
    )


class _Pages:
    """Counts the pages that it serves; to search the log for them would slow the server down.

    Attributes:
        are_counted: the last page is held back until then, so that the run has not ended.
    """

    def __init__(self, total: int) -> None:
        self.count = 0
        self.are_counted = Event()
        self._total = total

    def __call__(self, path: str) -> bytes | None:
        if path.partition("?")[0] != "/":
            return None
        self.count += 1
        if self.count == self._total:
            self.are_counted.wait(LIMIT_S)
        return PAGE

    def after(self, latency_ms: int) -> Route:
        """Answers each request so late."""

        async def answer(exchange: Exchange) -> None:
            await exchange.wait(latency_ms)
            body = self(exchange.path)
            await exchange.send(Answer(b"", 404) if body is None else Answer(body))

        return lambda seen: ("late", answer)


def _address(number: int) -> str:
    """A loopback address that DeadHosts does not use."""
    return f"127.{100 + number // 62500}.{number // 250 % 250}.{1 + number % 250}"


def main() -> int:
    """Measure; the exit code is 1 if a row was lost."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.runs.troubled_hosts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--hosts", type=int, default=10_000)
    parser.add_argument("--dead", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=60, help="of each of the two hosts")
    parser.add_argument("--delay", type=int, default=20, help="between two requests to one of them, in ms")
    parser.add_argument("--few", type=int, default=10, help="hosts that have as many pages together")
    parser.add_argument("--workers", default="auto")
    parser.add_argument("--latency", type=int, default=0, help="ms until a host of the second part answers")
    parser.add_argument("--repeat", type=int, default=3, help="rounds of the second part")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scoopi-benchmark-") as folder:
        base = Path(folder)
        alone = beside(base / "alone", [GOOD], given.pages, given.delay, given.workers)
        both = beside(base / "both", [GOOD, FLAPPING], given.pages, given.delay, given.workers)
        lost = 2 * given.pages - both.rows
        print(f"every fifth request 503: {both.refused} refused, {lost} of {2 * given.pages} rows lost")
        print(f"  the good host: {alone.good_s:.2f} s alone, {both.good_s:.2f} s beside it", flush=True)
        _compare(base, given)
        many = rate(base / "many", given.hosts, workers=given.workers, delay_ms=0)
        each = given.hosts // given.few
        few = rate(base / "few", given.few, workers=given.workers, pages_each=each, delay_ms=0)
        print(f"{given.hosts:,} pages without a delay: of as many hosts {many.per_second:,.0f} pages/s")
        print(f"  of {given.few} hosts: {few.per_second:,.0f}, {many.per_second / few.per_second:.2f} of it")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
