"""open_schedule_store: opens the scheduler's records in a file, a database or a cluster."""

from __future__ import annotations

import uuid
from importlib.util import find_spec
from pathlib import Path

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import UsageError
from scoopi.model.text.store_url import StoreKind, StoreUrl
from scoopi.store.schedule.schedule_store import SCHEDULE_MAPS, ScheduleStore
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_faults import SCHEDULE_FILE
from scoopi.store.solo.sqlite_store import SqliteStore

DATABASE = SCHEDULE_FILE
BUSY_MS = 20_000


def open_schedule_store(folder: Path, url: StoreUrl | None, cluster: ClusterSettings | None) -> ScheduleStore:
    """Open the scheduler's store; connects, and creates missing tables.

    Args:
        folder: folder of the scheduler's state, with the SQLite file if there is no URL.
        url: URL of the database or cluster; None for the SQLite file.
        cluster: settings for connecting to the cluster; None for the defaults.
    Raises:
        UsageError: the library for this kind of store is not installed.
        StoreError, ClusterError: the store cannot be opened.
    """
    if url is None:
        return ScheduleStore(SqliteStore(folder / DATABASE, BUSY_MS, SCHEDULE_MAPS))
    if url.kind is StoreKind.POSTGRESQL:
        return _in_postgresql(url)
    return _in_hazelcast(url, cluster or ClusterSettings(tuple(url.hosts.split(","))))


def _in_postgresql(url: StoreUrl) -> ScheduleStore:
    _ensure_installed("psycopg", "sql", url)
    from scoopi.store.postgresql.change_signals import ChangeSignals
    from scoopi.store.postgresql.postgres_client import PostgresClient
    from scoopi.store.postgresql.postgres_store import PostgresStore

    client = PostgresClient(url)
    try:
        store = PostgresStore(client, maps=SCHEDULE_MAPS)
    except BaseException:
        client.close()
        raise
    signals = ChangeSignals(client, uuid.uuid4().hex)
    return ScheduleStore(SettlingStore(store), client.close, signals, client.timeout.limit_waits)


def _in_hazelcast(url: StoreUrl, settings: ClusterSettings) -> ScheduleStore:
    _ensure_installed("hazelcast", "cluster", url)
    from scoopi.store.cluster.cluster_client import ClusterClient
    from scoopi.store.cluster.hazelcast_store import HazelcastStore
    from scoopi.store.cluster.majority_guard import majority_of

    client = ClusterClient(settings)
    try:
        client.guard(majority_of(client, settings, uuid.uuid4().hex).ensure)
        # Names of runs have no slash.
        store = HazelcastStore(client, f"schedule/{url.name}", maps=SCHEDULE_MAPS)
    except BaseException:
        client.close()
        raise
    return ScheduleStore(SettlingStore(store), client.close, limit_waits=client.timeout.limit_waits)


def _ensure_installed(module: str, extra: str, url: StoreUrl) -> None:
    if find_spec(module) is None:
        what = f"--store {url.shown} needs {module}, which is not installed"
        raise UsageError(what, hint=f"pip install 'scoopi[{extra}]'")
