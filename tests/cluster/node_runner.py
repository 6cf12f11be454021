"""NodeRunner: runs nodes of one run in threads of this process, and commands that ask their cluster."""

from __future__ import annotations

import io
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from pathlib import Path
from types import TracebackType

import msgspec

from scoopi.app import Scoopi
from scoopi.cli.main import main
from scoopi.cli.terminal import Terminal
from scoopi.model.report.run_report import RunReport
from scoopi.runs.composed import Composed
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.ports import RUN

MOST = 8
LIMIT_S = 120.0


class NodeRunner:
    """Runs nodes with frequent heartbeats; a `with` stops those that still run.

    Args:
        cluster: where the run is kept: a cluster, or the URL of a database.
        changes: settings that are given to each node.
        run: its name; empty: without `--run`.
        discard_lost: as `--discard-lost`.
    """

    def __init__(
        self,
        cluster: ClusterClient | str,
        defs: Path,
        output: Path,
        run: str,
        changes: dict[str, str],
        discard_lost: bool = False,
    ) -> None:
        self.address, self.name, self.url = "", "", ""
        if isinstance(cluster, str):
            self.url = cluster
            kept = {"scoopi.cluster.store": cluster}
        else:
            self.address, self.name = ",".join(cluster.settings.addresses), cluster.settings.name
            kept = {"scoopi.cluster.addresses": self.address, "scoopi.cluster.name": self.name}
        self.output = output
        self.run_name = run
        self._defs = defs
        self._discard_lost = discard_lost
        self._settings = {
            **kept,
            "scoopi.cluster.heartbeat": "100",
            "scoopi.cluster.liveness.gap": "2000",
            "scoopi.monitor.timerPeriod": "100",
            "scoopi.run.retention": "60",  # runs of all tests share a member of 256 MB
            "scoopi.loader.fetch.delay": "0",
            "scoopi.loader.fetch.parallelism": "4",
            **changes,
        }
        self._pool = ThreadPoolExecutor(MOST)
        self._nodes: list[Scoopi] = []

    @classmethod
    def like(cls, runner: NodeRunner, run: str) -> NodeRunner:
        """Another run of the same definitions and settings."""
        like = copy(runner)
        like.run_name, like._pool, like._nodes = run, ThreadPoolExecutor(MOST), []
        return like

    def __enter__(self) -> NodeRunner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for node in self._nodes:
            node.cancel(hard=True)
        self._pool.shutdown()

    def start(self, node: str, **changes: str) -> Future[RunReport]:
        """A node begins, with an output folder of its own unless durability is shared."""
        given = {**self._settings, "scoopi.cluster.node": node, **_dotted(changes)}
        scoopi = Scoopi(
            self._defs,
            given,
            output=self.output,
            environ={},
            run_name=self.run_name or None,
            discard_lost=self._discard_lost,
        )
        self._nodes.append(scoopi)
        return self._pool.submit(scoopi.run)

    def cancel(self) -> None:
        """The node that began last is asked to stop."""
        self._nodes[-1].cancel()

    def run(self, *nodes: str) -> list[RunReport]:
        """These nodes, begun together, to their end."""
        return [future.result(LIMIT_S) for future in [self.start(node) for node in nodes]]

    def words(self, *words: str) -> list[str]:
        """A command line that asks the cluster."""
        beat = ["-D", "scoopi.cluster.heartbeat=100"]
        if self.url:
            return [*words, "--store", self.url, *beat]
        named = ["-D", f"scoopi.cluster.name={self.name}"]
        return [*words, *(["--cluster", self.address] if self.address else []), *named, *beat]

    def ask(self, *words: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr of a command line that asks the cluster."""
        out, err = io.StringIO(), io.StringIO()
        code = main(self.words(*words), Terminal(out, err, {}))
        return code, out.getvalue(), err.getvalue()

    def arguments(self, node: str, **changes: str) -> list[str]:
        """The command line of a node that is to be a process of its own."""
        settings = {**self._settings, "scoopi.cluster.node": node, **_dotted(changes)}
        given = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
        where = ["--output", str(self.output), "--run", self.run_name, "--workers", "0"]
        return ["run", str(self._defs), *where, *given]

    def precompose(self, cluster: ClusterClient) -> str:
        """Compose the run before a node of it begins; the run's incarnation.

        It is what a run of another name, of the same definitions and settings, was composed from.
        """
        name, self.run_name = self.run_name, f"{self.run_name}-before"
        self.run("before")
        key, former = "composed/setup", HazelcastStore(cluster, self.run_name)
        packed = former.get_all(RUN, [key])[key]
        self.run_name = name
        HazelcastStore(cluster, name).put_if_absent_all(RUN, [(key, packed)])
        return msgspec.msgpack.decode(packed, type=Composed).run

    @property
    def folder(self) -> Path:
        """The run's."""
        return self.output / self.run_name

    def rows(self, pattern: str = "data*.txt") -> Counter[str]:
        """The union of the published rows."""
        rows: Counter[str] = Counter()
        for file in self.folder.glob(pattern):
            rows.update(file.read_text(encoding="utf-8").splitlines())
        return rows


def _dotted(changes: dict[str, str]) -> dict[str, str]:
    """`loader_fetch_delay` as `scoopi.loader.fetch.delay`."""
    return {f"scoopi.{key.replace('_', '.')}": value for key, value in changes.items()}
