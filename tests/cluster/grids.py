"""Real members and clients for the tests, each for a `with`."""

from __future__ import annotations

import itertools
import json
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import StoreError
from scoopi.store.cluster.cluster_client import ClusterClient, client_class
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.cluster.member_config import MemberConfig
from scoopi.store.cluster.member_process import MemberProcess
from scoopi.store.ports import RUN_MAPS, StoreMap
from tests.cluster.proxy import Plan, Proxy

if TYPE_CHECKING:
    from hazelcast.client import HazelcastClient

PORTS = (15_000, 32_000)
_runs = itertools.count()
_random = SystemRandom()
_REMOVALS = 10
"""How often the maps of a run are removed behind a faulty network before the test fails."""


def free_port() -> int:
    """A port that nobody uses just now, and that the system gives to no outgoing connection.

    A member that is restarted needs its port again, while nodes connect to it over and over.
    """
    while True:
        port = _random.randrange(*PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextmanager
def members(
    folder: Path, number: int = 1, heap: str = "256m", port: int | None = None
) -> Iterator[list[MemberProcess]]:
    """Members of one cluster, ready, the first one at `port`; killed at the end.

    Raises:
        ClusterError: Java or the jar is missing; says what to do.
    """
    ports = [port or free_port(), *(free_port() for _ in range(number - 1))]
    join = tuple(f"127.0.0.1:{port}" for port in ports)
    folder.mkdir(exist_ok=True)
    started: list[MemberProcess] = []
    with ExitStack() as stack:
        for one in ports:
            config = MemberConfig(one, heap=heap, name=name_of(ports[0]), join=join)
            member = MemberProcess(config, os.environ, folder / f"member-{one}.log")
            started.append(stack.enter_context(member))
            member.wait_ready()  # members that start together take 5 s to agree on who is the first
        yield started
        for member in reversed(started):  # nobody needs their data any more
            member.end(hard=True)


@contextmanager
def proxied_member(folder: Path, plan: Plan, seed: int = 0) -> Iterator[tuple[MemberProcess, Proxy]]:
    """A member that gives everybody the address of a proxy before it: no client can go around it."""
    port = free_port()
    with Proxy(plan, seed, target=port) as proxy:
        file = folder / "proxied.yaml"
        network = {
            "public-address": f"127.0.0.1:{proxy.port}",
            "port": {"port": port, "auto-increment": False},
            "join": {"auto-detection": {"enabled": False}, "multicast": {"enabled": False}},
        }
        root = {"cluster-name": name_of(proxy.port), "network": network}
        file.write_text(json.dumps({"hazelcast": root}), encoding="utf-8")
        config = MemberConfig(port, file=file)
        with MemberProcess(config, os.environ, folder / "proxied.log") as member:
            member.wait_ready()
            yield member, proxy
            member.end(hard=True)


def write_proxied(file: Path, name: str, port: int, join: Sequence[str], target: int, shown: int) -> None:
    """Configure a member whose clients are sent to a proxy, while members reach each other at once.

    Args:
        port: where other members reach it; they are `join`.
        target: where the proxy reaches it.
        shown: the proxy's port, which all clients get.
    """
    network = {
        "enabled": True,
        "join": {
            "auto-detection": {"enabled": False},
            "multicast": {"enabled": False},
            "tcp-ip": {"enabled": True, "member-list": list(join)},
        },
        "member-server-socket-endpoint-config": {"port": {"port": port, "auto-increment": False}},
        "client-server-socket-endpoint-config": {
            "port": {"port": target, "auto-increment": False},
            "public-address": f"127.0.0.1:{shown}",
        },
    }
    root = {
        "cluster-name": name,
        "advanced-network": network,
        "properties": {"hazelcast.wait.seconds.before.join": "0"},
    }
    file.write_text(json.dumps({"hazelcast": root}), encoding="utf-8")


def name_of(port: int) -> str:
    """A name of a cluster of its own, so that no other test's members join it."""
    return f"test-{port}"


def settings(port: int, *more: int, **changes: Any) -> ClusterSettings:
    """Of a node of the cluster whose first member has that port."""
    addresses = tuple(f"127.0.0.1:{one}" for one in (port, *more))
    return replace(ClusterSettings(addresses, name_of(port), connect_timeout_ms=5000), **changes)


def settings_of(started: list[MemberProcess], **changes: Any) -> ClusterSettings:
    """Of a node of the cluster of these members."""
    ports = [int(member.address.rpartition(":")[2]) for member in started]
    return settings(*ports, **changes)


class SharedMember:
    """The member of all tests, as what the nodes of a run share; they leave it running."""

    def __init__(self, settings: ClusterSettings) -> None:
        self._settings = settings

    @property
    def words(self) -> list[str]:
        """What names it on a command line."""
        addresses = ",".join(self._settings.addresses)
        return ["--cluster", addresses, "-D", f"scoopi.cluster.name={self._settings.name}"]


@contextmanager
def plain_client(client: ClusterClient) -> Iterator[HazelcastClient]:
    """A client of the library's own, with the options of Scoopi's, for what only the library knows."""
    kind = client_class()
    from scoopi.store.cluster.client_options import client_options

    plain = kind(**client_options(client.settings, lambda state: None, 2.0, 10.0))
    yield plain
    plain.shutdown()


@contextmanager
def new_run(client: ClusterClient, maps: Sequence[StoreMap] = RUN_MAPS) -> Iterator[HazelcastStore]:
    """The maps of a run of its own; removed at the end."""
    store = HazelcastStore(client, f"run-{next(_runs)}", maps=maps)
    yield store
    for left in reversed(range(_REMOVALS)):
        try:
            store.destroy()
            return
        except StoreError:
            if not left:
                raise
