"""HammerGrid: the members that the hammer's rounds run on; one at a time may be killed and comes back."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from scoopi.configs.groups import ClusterSettings
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.cluster.member_config import MemberConfig
from scoopi.store.cluster.member_process import MemberProcess
from tests.cluster.grids import free_port, name_of, proxied_member
from tests.cluster.proxy import Plan

SAFE_S = 60.0
SETTLED = "All migration tasks have been completed"
PLAN = Plan(cut=0.003, drop=0.003, delay=0.05)
"""Of what a node sends in a round, some hundred chunks are cut, dropped or late."""


class HammerGrid:
    """Two members; with `proxied` one that is reached through the faulty proxy only.

    Attributes:
        name: the cluster's.
        address: what nodes are told, `HOST:PORT,…`.
    """

    def __init__(self, folder: Path, proxied: bool = False, seed: int = 0) -> None:
        self._folder = folder
        self._proxied = proxied
        self._seed = seed
        self._stack = ExitStack()
        self._ports: list[int] = []
        self._logs: list[Path] = []
        self._members: list[MemberProcess] = []
        self._starts = 0
        self.name = self.address = ""

    def __enter__(self) -> HammerGrid:
        if self._proxied:
            _, proxy = self._stack.enter_context(proxied_member(self._folder, PLAN, self._seed))
            reached = [proxy.port]
        else:
            reached = self._ports = [free_port(), free_port()]
        self.name = name_of(reached[0])
        self.address = ",".join(f"127.0.0.1:{port}" for port in reached)
        for port in self._ports:
            self._start(port)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in range(len(self._members)):
            self.kill(number)
        self._stack.close()

    def __len__(self) -> int:
        """How many members may be killed."""
        return len(self._members)

    def forget(self, run: str) -> None:
        """Remove a run's maps; even empty they take megabytes of a member's heap."""
        addresses = tuple(self.address.split(","))
        client = ClusterClient(ClusterSettings(addresses, self.name))
        try:
            HazelcastStore(client, run).destroy()
        finally:
            client.close()

    def pid(self, number: int) -> int:
        """Process id of a member."""
        return self._members[number].pid

    def kill(self, number: int) -> None:
        """SIGKILL a member."""
        self._members[number].end(hard=True)
        self._members[number].close()

    def restart(self, number: int) -> None:
        """Start a killed member again, and wait until every partition has its backup anew.

        Raises:
            TimeoutError: the members did not get there.
        """
        # The line of the migrations comes from the elder member, which is the one that lived.
        elder = self._logs[1 - number]
        before = _settlings(elder)
        self._start(self._ports[number], number)
        end = time.monotonic() + SAFE_S
        while _settlings(elder) <= before:
            if time.monotonic() > end:
                raise TimeoutError(f"the members did not settle in {SAFE_S:.0f} s: {elder}")
            time.sleep(0.05)  # a file's growth has no event

    def _start(self, port: int, number: int | None = None) -> None:
        self._starts += 1
        log = self._folder / f"member-{port}-{self._starts}.log"
        join = tuple(f"127.0.0.1:{each}" for each in self._ports)
        config = MemberConfig(port, name=self.name, join=join)
        member = MemberProcess(config, os.environ, log)
        if number is None:
            self._members.append(member)
            self._logs.append(log)
        else:
            self._members[number], self._logs[number] = member, log
        member.wait_ready()


def _settlings(log: Path) -> int:
    return log.read_text(encoding="utf-8", errors="replace").count(SETTLED)
