"""Groups: the settings as their consumers take them, each a frozen value with units in its names.

Longer than other files, because it is a table: one group a consumer.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

import msgspec

from scoopi.configs.configs import Configs
from scoopi.configs.machine import cores, memory_limit
from scoopi.errors import ConfigError

DEFAULT_PORT = 5701
_ADDRESS = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:(?P<port>[0-9]{1,5}))?")
_NODE = re.compile(r"(?!lost-)[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")
"""`lost-` begins the folders of rows that a run has lost."""
OTHERS = 2
"""Processes of a node beside its workers: the parent, and the worker for pages that must be alone."""
BEATS_A_GAP = 3
"""A node stops by itself after half a gap without an acknowledged heartbeat."""


class WorkerSettings(msgspec.Struct, frozen=True):
    """How many worker processes a node has, how many requests each may have in flight, and how much memory.

    Attributes:
        memory_bytes: a worker's part of the control group's limit; None without a limit.
    """

    workers: int
    most_requests: int = 32
    memory_bytes: int | None = None

    @classmethod
    def of(cls, configs: Configs) -> WorkerSettings:
        """`auto` becomes the number of cores that this process may use."""
        text = configs.text("scoopi.workers")
        workers = cores() if text == "auto" else int(text)
        limit = memory_limit()
        memory = None if limit is None else limit // (max(1, workers) + OTHERS)
        return cls(workers, configs.number("scoopi.loader.fetch.inFlight"), memory)


class FetchLimits(msgspec.Struct, frozen=True):
    """How gently all nodes together ask a host for pages."""

    parallelism: int = 1
    delay_ms: int = 1000

    @classmethod
    def of(cls, configs: Configs) -> FetchLimits:
        """As set."""
        return cls(
            parallelism=configs.number("scoopi.loader.fetch.parallelism"),
            delay_ms=configs.number("scoopi.loader.fetch.delay"),
        )


class WebClientSettings(msgspec.Struct, frozen=True):
    """How one request is made.

    Attributes:
        user_agent: sent as it stands.
        timeout_ms: for one hop as a whole, from name look-up to the last byte.
        connect_timeout_ms: for name look-up, TCP and TLS together.
        max_redirects: a chain of more hops is an error.
        max_bytes: of a page's body, content coding undone.
        max_held_bytes: of all pages that a worker receives, and of all that wait for its steps.
        private_hosts: when links and redirects may lead to hosts of private addresses.
    """

    user_agent: str
    timeout_ms: int = 120_000
    connect_timeout_ms: int = 10_000
    max_redirects: int = 10
    max_bytes: int = 33_554_432
    max_held_bytes: int = 134_217_728
    private_hosts: Literal["always", "inside", "never"] = "inside"

    @classmethod
    def of(cls, configs: Configs) -> WebClientSettings:
        """As set."""
        return cls(
            user_agent=configs.text("scoopi.webClient.userAgent"),
            timeout_ms=configs.number("scoopi.webClient.timeout"),
            connect_timeout_ms=configs.number("scoopi.webClient.connectTimeout"),
            max_redirects=configs.number("scoopi.webClient.maxRedirects"),
            max_bytes=configs.number("scoopi.loader.maxBytes"),
            max_held_bytes=configs.number("scoopi.loader.maxHeldBytes"),
            private_hosts=cast(
                'Literal["always", "inside", "never"]', configs.text("scoopi.loader.privateHosts")
            ),
        )


class FactSettings(msgspec.Struct, frozen=True):
    """What stands for a fact that is blank (None: it stays as it is), and for one that is not found."""

    blank_replacement: str | None = "-"
    not_found_replacement: str = "not found"

    @classmethod
    def of(cls, configs: Configs) -> FactSettings:
        """As set; the blank replacement is None when replacing is switched off."""
        replaces = configs.flag("scoopi.fact.blank.replace")
        return cls(
            blank_replacement=configs.text("scoopi.fact.blank.replaceWith") if replaces else None,
            not_found_replacement=configs.text("scoopi.fact.notFound.replaceWith"),
        )

    @property
    def stand_for_nothing(self) -> frozenset[str]:
        """The facts that are written where there is none."""
        return frozenset(filter(None, (self.blank_replacement, self.not_found_replacement)))


class ParserLimits(msgspec.Struct, frozen=True):
    """What bounds the reading of one page."""

    max_rows: int = 1_000_000
    max_depth: int = 2000
    max_nodes: int = 2_000_000
    regex_timeout_ms: int = 1000
    link_max_depth: int = 1000

    @classmethod
    def of(cls, configs: Configs) -> ParserLimits:
        """As set."""
        return cls(
            max_rows=configs.number("scoopi.parser.maxRows"),
            max_depth=configs.number("scoopi.parser.maxDepth"),
            max_nodes=configs.number("scoopi.parser.maxNodes"),
            regex_timeout_ms=configs.number("scoopi.regex.timeout"),
            link_max_depth=configs.number("scoopi.link.maxDepth"),
        )


class ScriptLimits(msgspec.Struct, frozen=True):
    """What bounds one script: how long it may run and how much memory it may hold. Source: language, A12."""

    timeout_ms: int = 1000
    memory_mb: int = 32

    @classmethod
    def of(cls, configs: Configs) -> ScriptLimits:
        """As set."""
        return cls(
            timeout_ms=configs.number("scoopi.script.timeout"),
            memory_mb=configs.number("scoopi.script.memory"),
        )


class TaskLimit(msgspec.Struct, frozen=True):
    """The longest that one task of a page may take, the time allowed for its scripts included."""

    limit_s: float = 61.0

    @classmethod
    def of(cls, configs: Configs) -> TaskLimit:
        """As set; infinity when 0 is set."""
        timeout_s = configs.number("scoopi.task.timeout")
        return cls(timeout_s + ScriptLimits.of(configs).timeout_ms / 1000 if timeout_s else math.inf)


class ArchiveSettings(msgspec.Struct, frozen=True):
    """Where pages and data are kept for later runs, and which; `auto` serves groups that say `live`."""

    enable: Literal["auto", "true", "false"]
    folder: Path
    persist_locator: bool = True
    persist_data: bool = True

    @classmethod
    def of(cls, configs: Configs, folder: Path) -> ArchiveSettings:
        """As set; a relative path is taken from `folder`, the run's current folder."""
        return cls(
            enable=cast("Literal['auto', 'true', 'false']", configs.text("scoopi.datastore.enable")),
            folder=configs.path("scoopi.datastore.path", folder),
            persist_locator=configs.flag("scoopi.persist.locator"),
            persist_data=configs.flag("scoopi.persist.data"),
        )


class AppenderSettings(msgspec.Struct, frozen=True):
    """How rows are gathered before they are made durable."""

    commit_interval_ms: int = 100
    queue_size: int = 4096

    @classmethod
    def of(cls, configs: Configs) -> AppenderSettings:
        """As set."""
        return cls(
            commit_interval_ms=configs.number("scoopi.appender.commitInterval"),
            queue_size=configs.number("scoopi.appender.queueSize"),
        )


class JobSettings(msgspec.Struct, frozen=True):
    """How jobs are taken, and how often one may go wrong."""

    max_crashes: int = 3
    max_takes: int = 20
    prefetch_ms: int = 2000

    @classmethod
    def of(cls, configs: Configs) -> JobSettings:
        """As set."""
        return cls(
            max_crashes=configs.number("scoopi.job.maxCrashes"),
            max_takes=configs.number("scoopi.job.maxTakes"),
            prefetch_ms=configs.number("scoopi.job.prefetch"),
        )


class EngineSettings(msgspec.Struct, frozen=True):
    """How often the monitor looks, and how long an orderly stop may take."""

    monitor_period_ms: int = 1000
    shutdown_timeout_s: int = 25

    @classmethod
    def of(cls, configs: Configs) -> EngineSettings:
        """As set."""
        return cls(
            monitor_period_ms=configs.number("scoopi.monitor.timerPeriod"),
            shutdown_timeout_s=configs.number("scoopi.shutdown.timeout"),
        )


class OutputSettings(msgspec.Struct, frozen=True):
    """Who sees a node's output, whether it is merged, and how long a finished run is remembered."""

    durability: Literal["local", "shared"] = "local"
    merge: bool = False
    retention_s: int = 86_400
    unfinished_s: int = 604_800

    @classmethod
    def of(cls, configs: Configs) -> OutputSettings:
        """As set."""
        return cls(
            durability=cast("Literal['local', 'shared']", configs.text("scoopi.output.durability")),
            merge=configs.flag("scoopi.output.merge"),
            retention_s=configs.number("scoopi.run.retention"),
            unfinished_s=configs.number("scoopi.run.unfinishedRetention"),
        )


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """How members are spoken to over TLS; None where nothing was set."""

    authorities: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    password: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, configs: Configs, folder: Path) -> TlsSettings | None:
        """As set, None when TLS is off; a relative path is taken from `folder`.

        Raises:
            ConfigError: a file is not there.
        """

        def file(name: str) -> Path | None:
            key = f"scoopi.cluster.tls.{name}"
            path = configs.path(key, folder) if configs.text(key) else None
            if path is not None and not path.is_file():
                at = f"{configs.entry(key).origin} {key}"
                raise ConfigError(f"there is no file {path}", at=at, hint="correct the path")
            return path

        if not configs.flag("scoopi.cluster.tls.enable"):
            return None
        password = configs.text("scoopi.cluster.tls.password") or None
        return cls(file("ca"), file("certificate"), file("key"), password)


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """How a node reaches its cluster, and by which times the nodes live together.

    Attributes:
        addresses: `HOST:PORT` of members; empty: the run is on one machine.
        call_timeout_ms: after this long without an answer a call to the store fails.
        members: how many members the cluster has; 0: as many as were ever seen together.
    """

    addresses: tuple[str, ...]
    name: str = "scoopi"
    node: str = ""
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: TlsSettings | None = None
    connect_timeout_ms: int = 10_000
    reconnect_timeout_ms: int = 120_000
    call_timeout_ms: int = 10_000
    members: int = 0
    quorum_size: int = 1
    quorum_timeout_s: int = 60
    heartbeat_ms: int = 1000
    liveness_gap_ms: int = 15_000
    share_turn_ms: int = 2000

    @classmethod
    def of(cls, configs: Configs, folder: Path) -> ClusterSettings:
        """As set.

        Raises:
            ConfigError: an address is not HOST or HOST:PORT, the node's id cannot be in a file's name, a file
                for TLS is not there, or too few heartbeats come in a gap.
        """
        _check_gap(configs)
        return cls(
            addresses=_addresses(configs),
            name=configs.text("scoopi.cluster.name"),
            node=_node(configs),
            username=configs.text("scoopi.cluster.username") or None,
            password=configs.text("scoopi.cluster.password") or None,
            tls=TlsSettings.of(configs, folder),
            connect_timeout_ms=configs.number("scoopi.cluster.connect.timeout"),
            reconnect_timeout_ms=configs.number("scoopi.cluster.reconnect.timeout"),
            members=configs.number("scoopi.cluster.members"),
            quorum_size=configs.number("scoopi.cluster.quorum.size"),
            quorum_timeout_s=configs.number("scoopi.cluster.quorum.timeout"),
            heartbeat_ms=configs.number("scoopi.cluster.heartbeat"),
            liveness_gap_ms=configs.number("scoopi.cluster.liveness.gap"),
            share_turn_ms=configs.number("scoopi.cluster.share.turn"),
        )


def _node(configs: Configs) -> str:
    """The node's id; its folder and its files are called by it."""
    key = "scoopi.cluster.node"
    node = configs.text(key)
    if node and not _NODE.fullmatch(node):
        what, at = f"{node!r} is no id of a node", f"{configs.entry(key).origin} {key}"
        hint = "take letters, digits, . _ and -, 64 at most, the first no . and not lost-"
        raise ConfigError(what, at=at, hint=hint)
    return node


def _check_gap(configs: Configs) -> None:
    beat, gap = "scoopi.cluster.heartbeat", "scoopi.cluster.liveness.gap"
    least = BEATS_A_GAP * configs.number(beat)
    if configs.number(gap) < least:
        what = f"{configs.number(gap)} ms is too short for a heartbeat each {configs.number(beat)} ms"
        hint = f"take at least {least}, or a shorter {beat}"
        raise ConfigError(what, at=f"{configs.entry(gap).origin} {gap}", hint=hint)


def _addresses(configs: Configs) -> tuple[str, ...]:
    key = "scoopi.cluster.addresses"
    words = [word.strip() for word in configs.text(key).split(",")]
    if words == [""]:
        return ()
    return tuple(_address(word, f"{configs.entry(key).origin} {key}") for word in words)


def _address(word: str, at: str) -> str:
    """`HOST:PORT`; the port is Hazelcast's 5701 where none is given."""
    match = _ADDRESS.fullmatch(word)
    port = int(match["port"] or DEFAULT_PORT) if match else 0
    if match is None or not 0 < port < 65536:
        raise ConfigError(
            f"{word!r} is no address of a member", at=at, hint="write HOST:PORT, as in 10.0.0.7:5701"
        )
    return f"{match['host']}:{port}"


class MetricsSettings(msgspec.Struct, frozen=True):
    """Whether and where the node tells what it counts and whether it lives."""

    enable: bool = False
    port: int = 9010
    host: str = "127.0.0.1"

    @classmethod
    def of(cls, configs: Configs) -> MetricsSettings:
        """As set."""
        return cls(
            enable=configs.flag("scoopi.metrics.server.enable"),
            port=configs.number("scoopi.metrics.server.port"),
            host=configs.text("scoopi.metrics.server.host"),
        )
