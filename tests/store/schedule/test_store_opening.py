"""open_schedule_store: what is opened, and what is missing for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import StoreError, UsageError
from scoopi.model.text.store_url import parse_store_url
from scoopi.store.schedule import store_opening
from scoopi.store.schedule.store_opening import DATABASE, open_schedule_store


def test_without_a_url_it_is_a_file(tmp_path: Path) -> None:
    open_schedule_store(tmp_path, None, None).close()
    assert (tmp_path / DATABASE).exists()


def test_a_database_is_shared_and_released(tmp_path: Path, postgres_url: str) -> None:
    url = parse_store_url(postgres_url)
    one, two = (open_schedule_store(tmp_path, url, None) for _ in range(2))
    one.change_scheduler(lambda old: type(old)(bundle="b"))
    assert two.scheduler().bundle == "b"
    for store in (one, two):
        store.close()
        with pytest.raises(StoreError, match="the store is closed"):
            store.scheduler()
    assert not (tmp_path / DATABASE).exists()


@pytest.mark.parametrize(
    ("url", "message", "extra"),
    [
        ("postgresql://ann:s3cret@h/d", r"postgresql://ann:\*\*\*@h/d needs psycopg", "scoopi[sql]"),
        ("hazelcast://h:5701", "hazelcast://h:5701 needs hazelcast", "scoopi[cluster]"),
    ],
)
def test_a_library_that_is_missing_is_named(
    url: str, message: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_opening, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=message) as raised:
        open_schedule_store(tmp_path, parse_store_url(url), None)
    assert extra in raised.value.hint


class Client:
    """Connects to nothing, and remembers whether it was closed."""

    closed = 0

    def __init__(self, _: object) -> None:
        self.settings = None

    def guard(self, ensure: object) -> None:
        return

    def close(self) -> None:
        type(self).closed += 1


@pytest.mark.parametrize(
    ("url", "client", "fails"),
    [
        (
            "postgresql://ann@h/d",
            "postgresql.postgres_client.PostgresClient",
            "postgresql.postgres_store.PostgresStore",
        ),
        ("hazelcast://h:5701", "cluster.cluster_client.ClusterClient", "cluster.majority_guard.majority_of"),
    ],
)
def test_a_store_that_cannot_be_opened_leaves_no_connection(
    url: str, client: str, fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreError("no answer in time")

    monkeypatch.setattr(Client, "closed", 0)
    monkeypatch.setattr(f"scoopi.store.{client}", Client)
    monkeypatch.setattr(f"scoopi.store.{fails}", fail)
    with pytest.raises(StoreError, match="no answer in time"):
        open_schedule_store(tmp_path, parse_store_url(url), None)
    assert Client.closed == 1


@pytest.mark.parametrize("is_given", [True, False])
def test_a_cluster_is_connected_to_as_the_settings_say_or_else_the_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_given: bool
) -> None:
    asked: list[ClusterSettings] = []

    def connect(settings: ClusterSettings) -> None:
        asked.append(settings)
        raise StoreError("no answer in time")

    monkeypatch.setattr("scoopi.store.cluster.cluster_client.ClusterClient", connect)
    settings = ClusterSettings(("other:5701",), "theirs") if is_given else None
    with pytest.raises(StoreError, match="no answer in time"):
        open_schedule_store(tmp_path, parse_store_url("hazelcast://a:5701,b:5702"), settings)
    assert asked == [settings or ClusterSettings(("a:5701", "b:5702"))]
