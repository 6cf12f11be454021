"""HammerGrid: the members that the hammer's rounds run on; one at a time may be killed and comes back."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from scoopi.configs.groups import ClusterSettings
from scoopi.store.cluster.member_config import MemberConfig
from scoopi.store.cluster.member_process import MemberProcess
from scoopi.store.runs.run_record import RunPhase
from tests.cluster.grids import free_port, name_of, write_proxied
from tests.cluster.hammers.forgotten_run import forget_run
from tests.cluster.proxy import Plan, Proxy

MEMBERS = 2
SAFE_S = 240.0
SETTLED = "All migration tasks have been completed"
PLAN = Plan(cut=0.003, drop=0.003, delay=0.05)
"""Of what a node sends in a round, some hundred chunks are cut, dropped or late."""


class HammerGrid:
    """Two members; with `proxied` nodes reach each of them through a faulty proxy only.

    Attributes:
        name: the cluster's.
        address: what nodes are given, `HOST:PORT,…`.
    """

    def __init__(self, folder: Path, proxied: bool = False, seed: int = 0) -> None:
        self._folder = folder
        self._proxied = proxied
        self._seed = seed
        self._stack = ExitStack()
        self._configs: list[MemberConfig] = []
        self._proxies: list[Proxy] = []
        self._logs: dict[int, Path] = {}
        self._members: dict[int, MemberProcess] = {}
        self._starts = 0
        self.name = self.address = ""

    def __enter__(self) -> HammerGrid:
        ports = [free_port() for _ in range(MEMBERS)]
        join = tuple(f"127.0.0.1:{port}" for port in ports)
        self.name, self.address = name_of(ports[0]), ",".join(join)
        if self._proxied:
            self.address = self._with_proxies(ports, join)
        else:
            self._configs = [MemberConfig(port, name=self.name, join=join) for port in ports]
        for number in range(MEMBERS):
            self._start(number)
        return self

    def _with_proxies(self, ports: Sequence[int], join: Sequence[str]) -> str:
        """Each member gets a proxy of its own; their addresses."""
        reached = []
        for number, port in enumerate(ports):
            target = free_port()
            proxy = self._stack.enter_context(Proxy(PLAN, self._seed + number, target=target))
            self._proxies.append(proxy)
            file = self._folder / f"proxied-{number}.yaml"
            write_proxied(file, self.name, port, join, target, proxy.port)
            self._configs.append(MemberConfig(file=file))
            reached.append(f"127.0.0.1:{proxy.port}")
        return ",".join(reached)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in self._members:
            self.kill(number)
        self._stack.close()

    def __len__(self) -> int:
        """How many members there are."""
        return len(self._members)

    def forget(self, run: str) -> RunPhase | None:
        """Remove a run's maps, even empty they take megabytes of a member's heap; how far it had come."""
        for proxy in self._proxies:
            proxy.plan = Plan()
        try:
            return forget_run(ClusterSettings(tuple(self.address.split(",")), self.name), run)
        finally:
            for proxy in self._proxies:
                proxy.plan = PLAN

    @property
    def words(self) -> list[str]:
        """What names it on a command line."""
        return ["--cluster", self.address, "-D", f"scoopi.cluster.name={self.name}"]

    def pids(self, number: int) -> list[int]:
        """The process id of a member."""
        return [self._members[number].pid]

    def kill(self, number: int) -> None:
        """SIGKILL a member."""
        self._members[number].end(hard=True)
        self._members[number].close()

    def shut_down(self, number: int) -> None:
        """End a member gracefully: it hands its data over first."""
        self._members[number].close()

    def restart(self, number: int) -> None:
        """Start a member again that has ended, and wait until every partition has its backup again.

        Raises:
            TimeoutError: the members did not get there.
        """
        # The line of the migrations comes from the elder member, which is the one that lived.
        elder = self._logs[1 - number]
        before = _settlings(elder)
        self._start(number)
        end = time.monotonic() + SAFE_S
        while _settlings(elder) <= before:
            if time.monotonic() > end:
                raise TimeoutError(f"the members did not settle in {SAFE_S:.0f} s: {elder}")
            time.sleep(0.05)  # a file's growth has no event

    def _start(self, number: int) -> None:
        self._starts += 1
        log = self._folder / f"member-{number}-{self._starts}.log"
        self._logs[number] = log
        self._members[number] = MemberProcess(self._configs[number], os.environ, log)
        self._members[number].wait_ready()


def _settlings(log: Path) -> int:
    return log.read_text(encoding="utf-8", errors="replace").count(SETTLED)
