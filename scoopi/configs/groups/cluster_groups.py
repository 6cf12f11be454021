"""Settings for a cluster: how a node connects to it, and the timing that its nodes share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Self

from scoopi.configs.groups.tls_groups import TlsSettings
from scoopi.configs.setting import DAY_MS, HOUR_MS, NODE, SHARED, SettingKey, SettingKind, Values, values_of
from scoopi.errors import ConfigError, UsageError
from scoopi.model.text.store_url import StoreKind, StoreUrl, parse_store_url

DEFAULT_PORT = 5701
_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:(?P<port>[0-9]{1,5}))?")
_NODE = re.compile(r"(?!lost-)[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")
"""Folders with rows of a lost run are named `lost-…`, so ids must not begin like that."""
BEATS_A_GAP = 3
"""Least number of heartbeats per liveness gap: a node stops after half a gap without an acknowledged one."""


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How a node connects to its cluster, and the timing that all nodes share.

    Attributes:
        addresses: `HOST:PORT` of Hazelcast members; if empty and `store` is None, the run is solo.
        store: the database that keeps the run, instead of members.
        call_timeout_ms: a call to the store fails after this time without a response.
        members: number of members of the cluster; 0 for the most ever seen at once.
    """

    addresses: Annotated[
        tuple[str, ...],
        SettingKey(
            "scoopi.cluster.addresses",
            NODE,
            "Members of the Hazelcast cluster, HOST:PORT with commas between; unset, a run is solo.",
            kind=SettingKind.TEXT,
            default=None,
        ),
    ]
    name: Annotated[
        str,
        SettingKey("scoopi.cluster.name", NODE, "The name of the Hazelcast cluster, as its members have it."),
    ] = "scoopi"
    node: Annotated[
        str,
        SettingKey(
            "scoopi.cluster.node",
            NODE,
            "The id of this node; unset: that of this folder from an earlier start, or a new one.",
            default=None,
        ),
    ] = ""
    username: Annotated[
        str | None,
        SettingKey("scoopi.cluster.username", NODE, "The user name for the members, if they require one."),
    ] = None
    password: Annotated[
        str | None,
        SettingKey("scoopi.cluster.password", NODE, "The password of the user; write it as ${env:NAME}."),
    ] = field(default=None, repr=False)
    tls: TlsSettings | None = None
    store: Annotated[
        StoreUrl | None,
        SettingKey(
            "scoopi.cluster.store",
            NODE,
            "The database that keeps runs of several nodes, in place of members: postgresql://USER@HOST/DATABASE.",
            kind=SettingKind.TEXT,
            default=None,
        ),
    ] = None
    connect_timeout_ms: Annotated[
        int,
        SettingKey(
            "scoopi.cluster.connect.timeout",
            NODE,
            "How long a starting node tries to reach a member, or the database.",
            unit="ms",
            least=100,
            most=HOUR_MS,
        ),
    ] = 10_000
    reconnect_timeout_ms: Annotated[
        int,
        SettingKey(
            "scoopi.cluster.reconnect.timeout",
            NODE,
            "How long a running node waits for members or a database that do not respond; then it stops.",
            unit="ms",
            least=1000,
            most=DAY_MS,
        ),
    ] = 120_000
    call_timeout_ms: int = 10_000
    members: Annotated[
        int,
        SettingKey(
            "scoopi.cluster.members",
            NODE,
            "The number of members, of which a majority must be available; 0: the most ever seen.",
            most=1000,
        ),
    ] = 0
    quorum_size: Annotated[
        int,
        SettingKey(
            "scoopi.cluster.quorum.size",
            SHARED,
            "How many nodes must have joined a run before it begins.",
            least=1,
            most=10_000,
        ),
    ] = 1
    quorum_timeout_s: Annotated[
        int,
        SettingKey(
            "scoopi.cluster.quorum.timeout",
            SHARED,
            "How long a node waits for the quorum.",
            unit="s",
            least=1,
            most=86_400,
        ),
    ] = 60
    heartbeat_ms: Annotated[
        int,
        SettingKey(
            "scoopi.cluster.heartbeat",
            SHARED,
            "The time between two heartbeats of a node.",
            unit="ms",
            least=50,
            most=60_000,
        ),
    ] = 1000
    liveness_gap_ms: Annotated[
        int,
        SettingKey(
            "scoopi.cluster.liveness.gap",
            SHARED,
            "How long a node's heartbeat may stand still before other nodes consider it dead.",
            unit="ms",
            least=500,
            most=HOUR_MS,
        ),
    ] = 15_000
    share_turn_ms: Annotated[
        int,
        SettingKey(
            "scoopi.cluster.share.turn",
            SHARED,
            "The longest that a node keeps its share of a host once another node waits for it.",
            unit="ms",
            least=10,
            most=600_000,
        ),
    ] = 2000

    @property
    def is_cluster(self) -> bool:
        """Whether several nodes can take part in the run."""
        return bool(self.addresses) or self.store is not None

    @classmethod
    def of(cls, configs: Values, folder: Path) -> Self:
        """Return the settings of a node; relative paths of TLS files are resolved against `folder`.

        Raises:
            ConfigError: an address is not HOST or HOST:PORT, the store is not a database or is given beside
                addresses, the node's id cannot be a file name, a file for TLS does not exist, or the
                liveness gap is too short for the heartbeat.
        """
        _check_gap(configs)
        own = {
            "addresses": _addresses(configs),
            "store": _store(configs),
            "node": _node(configs),
            "tls": TlsSettings.of(configs, folder),
            "username": configs.text("scoopi.cluster.username") or None,
            "password": configs.text("scoopi.cluster.password") or None,
        }
        return cls(**values_of(cls, configs) | own)


def _node(configs: Values) -> str:
    """The node's id, which names its folder and files."""
    key = "scoopi.cluster.node"
    node = configs.text(key)
    if node and not _NODE.fullmatch(node):
        what, at = f"{node!r} is not a valid node id", f"{configs.origin(key)} {key}"
        hint = "use at most 64 letters, digits, . _ and -, not beginning with . or lost-"
        raise ConfigError(what, at=at, hint=hint)
    return node


def _check_gap(configs: Values) -> None:
    beat, gap = "scoopi.cluster.heartbeat", "scoopi.cluster.liveness.gap"
    least = BEATS_A_GAP * configs.number(beat)
    if configs.number(gap) < least:
        what = f"{configs.number(gap)} ms is too short for a heartbeat every {configs.number(beat)} ms"
        hint = f"set at least {least}, or a shorter {beat}"
        raise ConfigError(what, at=f"{configs.origin(gap)} {gap}", hint=hint)


def _addresses(configs: Values) -> tuple[str, ...]:
    key = "scoopi.cluster.addresses"
    words = [word.strip() for word in configs.text(key).split(",")]
    if words == [""]:
        return ()
    return tuple(_address(word, f"{configs.origin(key)} {key}") for word in words)


def _store(configs: Values) -> StoreUrl | None:
    """The database; errors never contain its password."""
    key = "scoopi.cluster.store"
    if not (text := configs.text(key)).strip():
        return None
    at = f"{configs.origin(key)} {key}"
    try:
        url = parse_store_url(text, "")
    except UsageError as error:
        raise ConfigError(error.what, at=at, hint=error.hint) from None
    if url.kind is not StoreKind.POSTGRESQL:
        raise ConfigError(f"{url.shown} is not a database", at=at, hint="set scoopi.cluster.addresses")
    if configs.text("scoopi.cluster.addresses").strip():
        hint = "leave out scoopi.cluster.addresses (--cluster), or this"
        raise ConfigError("a run is kept either in a database or in a cluster, not in both", at=at, hint=hint)
    return url


def _address(word: str, at: str) -> str:
    """`HOST:PORT`, with Hazelcast's default port 5701 if none is given."""
    match = _ADDRESS.fullmatch(word)
    port = int(match["port"] or DEFAULT_PORT) if match else 0
    if match is None or not 0 < port < 65536:
        raise ConfigError(
            f"{word!r} is not the address of a member", at=at, hint="write HOST:PORT, as in 10.0.0.7:5701"
        )
    return f"{match['host']}:{port}"
