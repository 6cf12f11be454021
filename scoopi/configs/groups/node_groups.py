"""Settings for a node: its workers, jobs, output and metrics."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from scoopi.configs.machine import cores, memory_limit
from scoopi.configs.setting import NODE, RUN, SHARED, Group, SettingKey, SettingKind, Values

OTHERS = 2
"""Processes of a node besides its workers: the parent, and the worker for quarantined pages."""


class WorkerSettings(Group, frozen=True):
    """How many worker processes a node has, and the requests in flight and the memory of each.

    Attributes:
        memory_bytes: a worker's share of the cgroup's memory limit; None without a limit.
    """

    workers: Annotated[
        int,
        SettingKey(
            "scoopi.workers",
            NODE,
            "Worker processes of this node; auto: one per core; 0: all but scripts run in the main process.",
            most=256,
            kind=SettingKind.WORKERS,
            default="auto",
        ),
    ]
    most_requests: Annotated[
        int,
        SettingKey(
            "scoopi.loader.fetch.inFlight",
            NODE,
            "The most requests for pages in flight per worker, over all hosts; twice as many for robots.txt.",
            least=1,
            most=256,
        ),
    ] = 32
    memory_bytes: int | None = None

    @classmethod
    def of(cls, configs: Values) -> Self:
        """Return the settings; `auto` workers are as many as the cores that this process may use."""
        text = configs.text("scoopi.workers")
        workers = cores() if text == "auto" else int(text)
        limit = memory_limit()
        memory = None if limit is None else limit // (max(1, workers) + OTHERS)
        return cls(workers, configs.number("scoopi.loader.fetch.inFlight"), memory)


class AppenderSettings(Group, frozen=True):
    """How rows are batched before they are made durable."""

    commit_interval_ms: Annotated[
        int,
        SettingKey(
            "scoopi.appender.commitInterval",
            NODE,
            "How long rows are batched before they are made durable together.",
            unit="ms",
            least=1,
            most=60_000,
        ),
    ] = 100
    queue_size: Annotated[
        int,
        SettingKey(
            "scoopi.appender.queueSize",
            NODE,
            "The most finished jobs that wait for the appender; a full queue slows the workers down.",
            least=1,
            most=1_000_000,
        ),
    ] = 4096


class JobSettings(Group, frozen=True):
    """How jobs are taken, and how often a job may be tried again after crashes."""

    max_crashes: Annotated[
        int,
        SettingKey(
            "scoopi.job.maxCrashes",
            RUN,
            "How many workers a task may crash while it runs alone, before it fails.",
            least=1,
            most=100,
        ),
    ] = 3
    max_takes: Annotated[
        int,
        SettingKey(
            "scoopi.job.maxTakes",
            RUN,
            "How often a job may be taken back from a dead node before it fails.",
            least=1,
            most=10_000,
        ),
    ] = 20
    prefetch_ms: Annotated[
        int,
        SettingKey(
            "scoopi.job.prefetch",
            NODE,
            "How much work is prefetched for each host.",
            unit="ms",
            least=1,
            most=600_000,
        ),
    ] = 2000


class EngineSettings(Group, frozen=True):
    """How often the monitor checks the run, and how long a graceful shutdown may take."""

    monitor_period_ms: Annotated[
        int,
        SettingKey(
            "scoopi.monitor.timerPeriod",
            NODE,
            "How often the monitor checks whether the run is complete.",
            unit="ms",
            least=10,
            most=60_000,
        ),
    ] = 1000
    shutdown_timeout_s: Annotated[
        int,
        SettingKey(
            "scoopi.shutdown.timeout",
            NODE,
            "The longest that a graceful shutdown may take.",
            unit="s",
            least=1,
            most=86_400,
        ),
    ] = 25


class QuerySettings(Group, frozen=True):
    """How long a query may take that lists the pages of locators."""

    timeout_s: Annotated[
        int,
        SettingKey(
            "scoopi.query.timeout",
            NODE,
            "The longest that a query of locators may take, with the reading of its rows. 0: no limit.",
            unit="s",
            most=86_400,
        ),
    ] = 300


class OutputSettings(Group, frozen=True):
    """Which nodes see a node's output, whether it is merged, and how long a finished run is kept."""

    durability: Annotated[
        Literal["local", "shared"],
        SettingKey(
            "scoopi.output.durability",
            SHARED,
            "Whether each node keeps its own output folder (local) or all nodes see one (shared).",
        ),
    ] = "local"
    merge: Annotated[
        bool,
        SettingKey(
            "scoopi.output.merge", SHARED, "Whether the last node writes the rows of all nodes to one file."
        ),
    ] = False
    keep_uploaded: Annotated[
        bool,
        SettingKey(
            "scoopi.output.keepUploaded",
            SHARED,
            "Whether a node keeps its copies of files that were uploaded to an object store.",
        ),
    ] = False
    retention_s: Annotated[
        int,
        SettingKey(
            "scoopi.run.retention",
            SHARED,
            "How long the records of a finished run are kept in the cluster.",
            unit="s",
            least=60,
        ),
    ] = 86_400
    unfinished_s: Annotated[
        int,
        SettingKey(
            "scoopi.run.unfinishedRetention",
            SHARED,
            "How long an unfinished run is kept in the cluster after the last heartbeat of its nodes.",
            unit="s",
            least=3600,
        ),
    ] = 604_800


class SchedulerSettings(Group, frozen=True):
    """Where a scheduler keeps its state on this machine."""

    state: Annotated[
        str,
        SettingKey(
            "scoopi.scheduler.state",
            NODE,
            "The folder of the scheduler's state, unless --state or SCOOPI_STATE names it.",
            kind=SettingKind.PATH,
        ),
    ] = "scheduler"


class MetricsSettings(Group, frozen=True):
    """Whether and where the node serves its metrics and health checks."""

    enable: Annotated[
        bool,
        SettingKey(
            "scoopi.metrics.server.enable",
            NODE,
            "Whether the node serves /metrics, /healthz, /readyz and /api/status while it runs.",
        ),
    ] = False
    port: Annotated[
        int,
        SettingKey(
            "scoopi.metrics.server.port",
            NODE,
            "The port of the metrics server; 0 takes a free one and logs it.",
            most=65_535,
        ),
    ] = 9010
    host: Annotated[
        str,
        SettingKey(
            "scoopi.metrics.server.host",
            NODE,
            "The address that the metrics server listens on; 0.0.0.0 is all addresses of this machine.",
        ),
    ] = "127.0.0.1"
    names: Annotated[
        str,
        SettingKey(
            "scoopi.metrics.server.names",
            NODE,
            "Host names besides localhost that requests on a loopback address may use, separated by commas.",
        ),
    ] = ""
