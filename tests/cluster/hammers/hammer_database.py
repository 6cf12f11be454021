"""HammerDatabase: the database that the hammer's rounds run on; it may be killed and comes back."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType

from scoopi.configs.groups import ClusterSettings
from scoopi.model.text.store_url import parse_store_url
from scoopi.store.runs.run_record import RunPhase
from tests.cluster.hammers.forgotten_run import forget_run
from tests.cluster.proxy import Plan, Proxy
from tests.outputs.postgres_server import PostgresServer

PLAN = Plan(cut=0.001, drop=0.001, delay=0.02)
"""A node sends some thousand statements in a round; a few of them are lost, or their answers."""


class HammerDatabase:
    """A server of its own, for the hammer what a grid of one member is.

    Args:
        proxied: whether nodes reach it through a faulty proxy only.
        seed: of the proxy's faults.
    """

    def __init__(self, proxied: bool = False, seed: int = 0) -> None:
        self._proxied = proxied
        self._seed = seed
        self._server = PostgresServer()
        self._stack = ExitStack()
        self._url = self._reached = ""

    def __enter__(self) -> HammerDatabase:
        server = self._stack.enter_context(self._server)
        self._url = self._reached = server.database("hammer")
        if self._proxied:
            proxy = self._stack.enter_context(Proxy(PLAN, self._seed, target=server.port))
            self._reached = f"{self._url.replace(f':{server.port}', f':{proxy.port}')}?sslmode=disable"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def __len__(self) -> int:
        """One: the server."""
        return 1

    @property
    def words(self) -> list[str]:
        """What names it on a command line."""
        return ["--store", self._reached]

    def forget(self, run: str) -> RunPhase | None:
        """Remove a run's records; how far it had come."""
        return forget_run(ClusterSettings((), store=parse_store_url(self._url)), run)

    def pids(self, _: int) -> list[int]:
        """Process ids of the server, and of those that it has for its connections just now."""
        return self._server.pids()

    def kill(self, _: int) -> None:
        """End the server as a crash does."""
        self._server.kill()

    def restart(self, _: int) -> None:
        """Start it again; it recovers first."""
        self._server.start()
