"""Stores of the scheduler's hammer: each can be taken away from its users for a while."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from types import TracebackType

from scoopi.configs.groups import ClusterSettings
from scoopi.model.text.store_url import parse_store_url
from scoopi.serve.state import State
from scoopi.store.schedule.store_opening import DATABASE
from tests.cluster.hammers.hammer_grid import MEMBERS, HammerGrid
from tests.outputs.postgres_server import PostgresServer


class HammerStore(AbstractContextManager["HammerStore"]):
    """A SQLite file below the hammer's folder, which all nodes share.

    Attributes:
        folder: of the hammer.
        environ: what names the store to `scoopi`.
        is_shared: whether nodes have folders of their own, as those of several machines.
    """

    is_shared = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ: dict[str, str] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def state(self) -> State:
        """The records, for the hammer itself."""
        return State(self.folder / "scheduler")

    def disturb(self, chance: random.Random, seconds: float) -> None:
        """Take the store away for a second, and up to `seconds` more: nobody can write to it."""
        store = sqlite3.connect(self.folder / "scheduler" / DATABASE, isolation_level=None, timeout=30)
        try:
            store.execute("BEGIN EXCLUSIVE")
            time.sleep(1 + chance.random() * seconds)
            store.execute("ROLLBACK")
        finally:
            store.close()


class SharedHammerStore(HammerStore):
    """A store that servers keep."""

    is_shared = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._stack = ExitStack()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


class PostgresHammerStore(SharedHammerStore):
    """A PostgreSQL, which is killed or stopped."""

    def __enter__(self) -> PostgresHammerStore:
        self._server = self._stack.enter_context(PostgresServer())
        self.environ["SCOOPI_STORE"] = self._server.database("hammer")
        return self

    def state(self) -> State:
        """The records, for the hammer itself."""
        return State(self.folder / "scheduler", parse_store_url(self.environ["SCOOPI_STORE"]))

    def disturb(self, chance: random.Random, seconds: float) -> None:
        """Kill the database and start it again, or stop it and let it continue."""
        away_s = 1 + chance.random() * seconds
        if chance.random() < 0.5:
            self._server.crash(away_s)
        else:
            _pause(self._server.pids(), away_s)


class HazelcastHammerStore(SharedHammerStore):
    """A Hazelcast cluster of two members, of which one is killed or stopped at a time."""

    def __enter__(self) -> HazelcastHammerStore:
        self._grid = self._stack.enter_context(HammerGrid(self.folder))
        self.environ["SCOOPI_STORE"] = f"hazelcast://{self._grid.address}/hammer"
        self.environ["SCOOPI_CLUSTER_NAME"] = self._grid.name
        return self

    def state(self) -> State:
        """The records, for the hammer itself."""
        addresses = tuple(self._grid.address.split(","))
        url = parse_store_url(self.environ["SCOOPI_STORE"])
        return State(self.folder / "scheduler", url, ClusterSettings(addresses, self._grid.name))

    def disturb(self, chance: random.Random, seconds: float) -> None:
        """Kill a member and start it again, or stop it and let it continue."""
        member, away_s = chance.randrange(MEMBERS), 1 + chance.random() * seconds
        if chance.random() < 0.5:
            self._grid.kill(member)
            time.sleep(away_s)
            self._grid.restart(member)
        else:
            _pause(self._grid.pids(member), away_s)


STORES: dict[str, Callable[[Path], HammerStore]] = {
    "sqlite": HammerStore,
    "postgresql": PostgresHammerStore,
    "hazelcast": HazelcastHammerStore,
}


def _pause(pids: Sequence[int], seconds: float) -> None:
    """Stop processes and let them continue; one of a connection may have ended meanwhile."""
    for sent in (signal.SIGSTOP, signal.SIGCONT):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, sent)
        if sent == signal.SIGSTOP:
            time.sleep(seconds)
