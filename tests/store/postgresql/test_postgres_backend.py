"""PostgresBackend: how a node reaches its database, and what it says of one that does not let it in."""

from __future__ import annotations

import secrets
import socket
import time

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, StoppedError, StoreError
from scoopi.model.text.store_url import parse_store_url
from scoopi.store.call_timeout import AT_ONCE_S, CallTimeout
from scoopi.store.ports import RUN
from scoopi.store.postgresql.postgres_backend import PostgresBackend
from scoopi.store.postgresql.postgres_client import PostgresClient
from tests.outputs.postgres_server import PostgresServer

LONG_MS = 60_000


def opened(url: str, connect_ms: int = LONG_MS, is_stopped: bool = False) -> PostgresBackend:
    settings = ClusterSettings((), connect_timeout_ms=connect_ms)
    return PostgresBackend(parse_store_url(url), settings, lambda: is_stopped)


def test_each_run_has_records_of_its_own_and_they_can_be_removed(postgres_url: str) -> None:
    backend = opened(postgres_url)
    stores = [backend.store(maps) for maps in ("", "one", "two")]
    for number, store in enumerate(stores):
        store.put_if_absent_all(RUN, [("a", b"%d" % number)])
    backend.remove("one")
    assert [store.get_all(RUN, ["a"]) for store in stores] == [{"a": b"0"}, {}, {"a": b"2"}]
    assert (backend.name, backend.members(), backend.most_members()) == (
        f"the database {postgres_url}",
        [],
        0,
    )
    backend.close()


def test_a_server_that_is_not_there_yet_is_waited_for(
    postgres: PostgresServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_listening = PostgresClient.is_listening
    checks: list[bool] = []

    def checked(client: PostgresClient) -> bool:
        checks.append(is_listening(client))
        if len(checks) == 2:
            postgres.start()
        return checks[-1]

    monkeypatch.setattr(PostgresClient, "is_listening", checked)
    postgres.kill()
    opened(postgres_url).close()
    assert checks == [False, False]


@pytest.mark.parametrize("checks_before", [0, 1, 2])
def test_a_server_that_is_starting_up_is_waited_for_whenever_its_start_ends(
    postgres: PostgresServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch, checks_before: int
) -> None:
    postgres.kill()
    postgres.start_up()
    checks: list[bool] = []
    is_listening = PostgresClient.is_listening

    def checked(client: PostgresClient) -> bool:
        if len(checks) == checks_before:  # the start ends between an attempt and the check that follows it
            postgres.end_recovery()
        checks.append(is_listening(client))
        return checks[-1]

    monkeypatch.setattr(PostgresClient, "is_listening", checked)
    opened(postgres_url).close()
    assert checks == [*([False] * checks_before), True]


def test_what_the_server_refuses_only_once_is_waited_for(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"late_{secrets.token_hex(4)}"
    waits: list[float] = []

    def created_meanwhile(seconds: float) -> None:
        with monkeypatch.context() as original:
            original.undo()
            postgres.database(name)
        waits.append(seconds)

    monkeypatch.setattr(time, "sleep", created_meanwhile)
    opened(f"postgresql://tester@127.0.0.1:{postgres.port}/{name}").close()
    assert len(waits) == 1


@pytest.mark.parametrize(
    ("user", "database", "reason"),
    [
        ("guarded:wr0ng", "postgres", "password authentication failed"),
        ("tester", "nowhere", 'database "nowhere" does not exist'),
    ],
)
def test_what_the_server_refuses_is_tried_only_twice(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, user: str, database: str, reason: str
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    postgres.ensure_guarded("s3cret")
    with pytest.raises(ClusterError, match=reason) as raised:
        opened(f"postgresql://{user}@127.0.0.1:{postgres.port}/{database}")
    assert len(waits) == 1
    assert "wr0ng" not in str(raised.value)
    assert "s3cret" not in str(raised.value)


def test_the_right_password_opens_the_database(postgres: PostgresServer, postgres_url: str) -> None:
    postgres.ensure_guarded("s3cret")
    name = postgres_url.rpartition("/")[2]
    url = f"postgresql://guarded:s3cret@127.0.0.1:{postgres.port}/{name}"
    with pytest.raises(ClusterError, match="permission denied") as raised:
        opened(url)
    assert raised.value.hint == "grant the user the rights to create tables and to use them"


def test_a_wish_to_stop_ends_the_waiting() -> None:
    with pytest.raises(StoppedError):
        opened("postgresql://ann@127.0.0.1:1/shop", is_stopped=True)


def test_a_node_that_shuts_down_waits_for_answers_as_long_as_it_may(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[float, float]] = []
    monkeypatch.setattr(CallTimeout, "expedite", lambda _, end, left_s: given.append((end, left_s)))
    backend = opened(postgres_url)
    backend.expedite(7.0, 2.0)
    backend.close()
    assert given == [(7.0, 2.0)]


def test_a_database_that_is_not_there_is_waited_for_no_longer_than_the_setting_says() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # without listen: connections are refused
        port = reserved.getsockname()[1]
        with pytest.raises(ClusterError, match=r"refused .*\(tried for 0\.2 s\)"):
            opened(f"postgresql://tester@127.0.0.1:{port}/postgres", connect_ms=200)


def test_the_timeouts_of_the_settings_are_those_of_its_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    class Client:
        def __init__(self, url: object, timeout: CallTimeout, give_up_s: float) -> None:
            given.extend((timeout.until(0.0), give_up_s))

        def close(self) -> None:
            given.append("closed")

        def __getattr__(self, name: str) -> object:
            raise StoreError("the database does not answer")

    monkeypatch.setattr("scoopi.store.postgresql.postgres_backend.PostgresClient", Client)
    settings = ClusterSettings((), connect_timeout_ms=1, reconnect_timeout_ms=2500)
    with pytest.raises(StoppedError):
        PostgresBackend(parse_store_url("postgresql://h/d"), settings, lambda: True)
    assert given == [AT_ONCE_S, 2.5, "closed"]
