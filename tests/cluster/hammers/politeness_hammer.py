"""PolitenessRound: a run of all that asks hosts, over three nodes, a worker and a node of which are killed.

By hand: `python -m tests.cluster.hammers.politeness_hammer --rounds 20 --seed 1`. Each round compares
three accounts of what hosts have seen: the promise, the server's own log, and `scoopi politeness --json`.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

from scoopi.configs.groups import ClusterSettings
from tests.cluster.grids import members, settings_of
from tests.engine.politeness.pace import Pace
from tests.engine.workspace import ROOT, wait_until
from tests.reliability.process import ScoopiProcess, kill
from tests.server.answer import Answer
from tests.server.server import Server

NODES, WORKERS, HOSTS = 3, 4, 3
DELAY_MS = 150
LATE_MS = 150
"""By which a busy machine may note two requests too late, or too early beside each other."""
LIMIT_S = 300.0
"""Of each wait: beside other work a round can take minutes."""
KILLS = 2
"""Of processes, each of which may take the note of its last request at each host with it."""
TEXT = "Brot, Käse und Öl"
DEFINITIONS = """\
locatorGroups:
  pages: {{ locators: [ {pages} ] }}
  kept: {{ locators: [ {kept} ] }}
taskGroups:
  pages: {{ textTask: {{ dataDef: text }} }}
  kept: {{ live: "P1W", textTask: {{ dataDef: text, persist: {{ data: false }} }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""


class BusySite:
    """Three hosts whose pages fail now and then, or lead to the next host.

    Args:
        every: each request for a page with a number divisible by it is answered with 503.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._lock = threading.Lock()
        self._asked = 0
        self.fails = False
        self.targets: dict[str, str] = {}

    def __call__(self, path: str) -> bytes | Answer | None:
        if path == "/robots.txt":
            return b"User-agent: *\nDisallow: /private\n"
        with self._lock:
            self._asked += 1
            fails = self.fails and self._asked % self._every == 0
        if fails:
            return Answer(b"not now", 503)
        if target := self.targets.get(path):
            return Answer(b"", 302, headers=(("Location", target),))
        return f"<p>{TEXT}".encode()


class PolitenessRound:
    """One run; `play` raises AssertionError when an account differs from another.

    Args:
        cluster: how nodes reach it.
        folder: a new one.
        pages: of each host, of each of four kinds: plain, redirected, kept in the archive, disallowed (one).
    """

    def __init__(self, cluster: ClusterSettings, folder: Path, pages: int, source: random.Random) -> None:
        self._cluster = cluster
        self._folder = folder
        self._pages = pages
        self._random = source
        self._site = BusySite(every=7)
        self._nodes: list[ScoopiProcess] = []

    def play(self) -> None:
        """Fill the archive, run, kill, wait for the end, compare."""
        with Server(self._site) as server, Pace(server) as pace:
            rows = self._define(server)
            self._fill_archive()
            kept = len(server.log.all())
            server.log.clear()
            self._site.fails = True
            try:
                self._run(server)
            finally:
                for node in self._nodes:
                    node.kill_all()
            assert self._rows() == rows, (rows - self._rows(), self._rows() - rows)
            assert kept == HOSTS * (self._pages + 1), "robots.txt and the pages of the archive"
            for host in range(HOSTS):
                pace.assert_kept(DELAY_MS, 1, host)
            self._compare(server)

    def _define(self, server: Server) -> Counter[str]:
        """Write the definitions; the rows that they give."""
        pages: dict[str, str] = {}
        kept: dict[str, str] = {}
        for host in range(HOSTS):
            for page in range(self._pages):
                pages[f"plain-{host}-{page}"] = server.url(f"/plain/{page}", host)
                moved = f"/moved/{host}/{page}"
                pages[f"moved-{host}-{page}"] = server.url(moved, host)
                self._site.targets[moved] = server.url(f"/target/{page}", (host + 1) % HOSTS)
                kept[f"kept-{host}-{page}"] = server.url(f"/kept/{page}", host)
        rows = Counter(f"{name}|pages|text|{TEXT}" for name in pages)
        rows.update(f"{name}|kept|text|{TEXT}" for name in kept)
        pages |= {f"private-{host}": server.url("/private", host) for host in range(HOSTS)}
        for name, first in (("all", pages), ("kept", {})):
            (self._folder / name).mkdir()
            text = DEFINITIONS.format(pages=_locators(first), kept=_locators(kept))
            if not first:
                text = "\n".join(line for line in text.splitlines() if not line.startswith("  pages:"))
            (self._folder / name / "defs.yml").write_text(text, encoding="utf-8")
        return rows

    def _fill_archive(self) -> None:
        fast = {"scoopi.loader.fetch.delay": 0, "scoopi.datastore.path": self._folder / "data"}
        arguments = ["run", "kept", "--workers", "0", "--quiet", *_settings(fast)]
        ended = subprocess.run(
            [sys.executable, "-m", "scoopi", *arguments],
            cwd=self._folder,
            env={"PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr

    def _run(self, server: Server) -> None:
        """All nodes to their end; a worker is killed after a quarter of the requests, a node after half."""
        self._nodes = [self._start(number) for number in range(NODES)]
        requests = HOSTS * 3 * self._pages
        wait_until(lambda: len(server.log.all()) >= requests // 4, "a quarter of the requests", LIMIT_S)
        workers = [pid for node in self._nodes for pid in node.workers()]
        kill(self._random.choice(workers))
        wait_until(lambda: len(server.log.all()) >= requests // 2, "half of the requests", LIMIT_S)
        chosen = self._random.randrange(NODES)
        self._nodes[chosen].signal(signal.SIGKILL)
        assert self._nodes[chosen].wait(LIMIT_S) == -signal.SIGKILL, "it had ended before"
        self._nodes[chosen] = self._start(chosen)
        codes = [self._waited(number) for number in range(NODES)]
        assert codes == [0] * NODES, [self._said(number) for number in range(NODES) if codes[number]]

    def _start(self, number: int) -> ScoopiProcess:
        folder = self._folder / f"node-{number}"
        folder.mkdir(exist_ok=True)
        settings = {
            "scoopi.cluster.name": self._cluster.name,
            "scoopi.cluster.liveness.gap": 2000,
            "scoopi.cluster.heartbeat": 200,
            "scoopi.monitor.timerPeriod": 200,
            "scoopi.loader.fetch.delay": DELAY_MS,
            "scoopi.loader.fetch.parallelism": 1,
            "scoopi.loader.fetch.errorDelay": 10,
            "scoopi.retry.delay": 300,
            "scoopi.retry.attempts": 20,  # two requests in seven fail a redirected page, by chance five times
            "scoopi.datastore.path": self._folder / "data",
        }
        address = ",".join(self._cluster.addresses)
        options = [
            "--cluster",
            address,
            "--run",
            self._folder.name,
            "--workers",
            str(WORKERS),
            "--output",
            "out",
        ]
        return ScoopiProcess(["run", str(self._folder / "all"), *options, *_settings(settings)], folder)

    def _waited(self, number: int) -> int:
        try:
            return self._nodes[number].wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"node {number} does not end: {self._said(number)}") from None

    def _said(self, number: int) -> str:
        return (self._folder / f"node-{number}" / "stderr.txt").read_text()[-3000:]

    def _rows(self) -> Counter[str]:
        rows: Counter[str] = Counter()
        for file in self._folder.glob(f"node-*/out/{self._folder.name}/data*.txt"):
            rows.update(file.read_text(encoding="utf-8").splitlines())
        return rows

    def _shown(self) -> dict[str, Any]:
        """What `scoopi politeness --json` shows of all nodes, by host."""
        folders = [
            str(self._folder / f"node-{number}" / "out" / self._folder.name) for number in range(NODES)
        ]
        words = [sys.executable, "-m", "scoopi", "politeness", "--json", *folders]
        shown = json.loads(
            subprocess.run(words, cwd=ROOT, capture_output=True, timeout=LIMIT_S, check=True).stdout
        )
        assert 0 < len(shown["nodes"]) <= NODES, "a node that paced no host sends nothing"
        return {host["host"]: host for host in shown["hosts"]}

    def _compare(self, server: Server) -> None:
        """The figures are those of the server's log, whose clock is read a little later."""
        shown = self._shown()
        for host in server.log.hosts():
            seen, figures = server.log.all(host), shown[host]
            missing = len(seen) - figures["requests"]
            assert 0 <= missing <= KILLS, (host, len(seen), figures)
            refused = sum(each.status == 503 for each in seen)
            assert refused - KILLS <= figures["errors"].get("status 503", 0) <= refused, (
                host,
                refused,
                figures,
            )
            assert figures["shortest_gap_ms"] >= DELAY_MS - 1, figures
            if not missing:
                gaps = (after.started - before.started for before, after in pairwise(seen))
                assert figures["shortest_gap_ms"] <= 1000 * min(gaps) + LATE_MS, (host, figures)
            assert figures["robots"] == "1 rules", figures


def _locators(urls: Mapping[str, str]) -> str:
    return ", ".join(f'{{ name: {name}, url: "{url}" }}' for name, url in urls.items())


def _settings(settings: Mapping[str, object]) -> list[str]:
    return [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]


def main() -> int:
    """Play rounds; 1 when one of them has failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", type=int, default=20, help="of each kind at each host")
    options = parser.parse_args()
    source = random.Random(options.seed)
    failed = 0
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cluster = settings_of(stack.enter_context(members(base)))
        for number in range(options.rounds):
            folder = base / f"round-{number}"
            folder.mkdir()
            began = time.monotonic()
            try:
                PolitenessRound(cluster, folder, options.pages, source).play()
                outcome = "kept"
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                outcome = f"BROKEN: {error}"
            print(f"round {number}: {outcome} in {time.monotonic() - began:.1f} s", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
