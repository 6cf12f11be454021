"""PostgresClient: its connection is opened again after a fault, and its errors help."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace

import psycopg
import pytest

from scoopi.errors import ClusterError, StoreError
from scoopi.model.text.store_url import parse_store_url
from scoopi.store.call_timeout import CallTimeout
from scoopi.store.postgresql import postgres_client
from scoopi.store.postgresql.postgres_client import CONNECTIONS, PostgresClient
from tests.engine.workspace import LIMIT_S, wait_until
from tests.outputs.postgres_server import PostgresServer

PID = b"SELECT pg_backend_pid()"


@pytest.fixture
def client(store_database: str) -> Iterator[PostgresClient]:
    client = PostgresClient(parse_store_url(store_database))
    yield client
    client.close()


def end_connection(client: PostgresClient, store_database: str) -> None:
    """As a restart of the server does it."""
    ((pid,),) = client.rows(PID, {}, is_repeatable=True)
    other = PostgresClient(parse_store_url(store_database))
    other.rows(b"SELECT pg_terminate_backend(%(pid)s, 10000)", {"pid": pid}, is_repeatable=False)
    other.close()


def test_what_is_repeatable_is_run_on_a_new_connection(client: PostgresClient, store_database: str) -> None:
    end_connection(client, store_database)
    assert client.rows(b"SELECT 1", {}, is_repeatable=True) == [(1,)]


def test_of_what_is_not_repeatable_nothing_is_known(client: PostgresClient, store_database: str) -> None:
    end_connection(client, store_database)
    with pytest.raises(StoreError, match="does not answer"):
        client.rows(b"SELECT 1", {}, is_repeatable=False)
    assert client.rows(b"SELECT 1", {}, is_repeatable=False) == [(1,)]


def test_a_connection_that_opens_when_nobody_waits_for_it_any_more_is_closed(
    client: PostgresClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    opens, closed = threading.Event(), threading.Event()

    def connect(conninfo: str, autocommit: bool) -> SimpleNamespace:
        assert opens.wait(LIMIT_S)
        return SimpleNamespace(execute=lambda statement: None, close=closed.set)

    monkeypatch.setattr(psycopg.Connection, "connect", connect)
    monkeypatch.setattr(client.timeout, "wait", lambda wait: False)
    with pytest.raises(psycopg.OperationalError, match=r"^no connection in \d"):
        client.new_connection()
    opens.set()
    assert closed.wait(LIMIT_S)


def test_a_server_that_is_away_is_one_line_without_the_password() -> None:
    client = PostgresClient(parse_store_url("postgresql://ann:s3cret@127.0.0.1:1/shop"))
    with pytest.raises(StoreError) as raised:
        client.rows(b"SELECT 1", {}, is_repeatable=True)
    text = str(raised.value)
    assert text.startswith("postgresql://ann:***@127.0.0.1:1/shop: the database does not answer: ")
    assert text.endswith("; start it, or check the address, the database's name and the user's rights")
    assert "s3cret" not in text
    assert "\n" not in text


def test_a_database_that_does_not_exist_is_named(postgres: PostgresServer) -> None:
    url = f"postgresql://tester:s3cret@127.0.0.1:{postgres.port}/nowhere"
    with pytest.raises(StoreError, match='database "nowhere" does not exist') as raised:
        PostgresClient(parse_store_url(url)).rows(b"SELECT 1", {}, is_repeatable=True)
    assert "s3cret" not in str(raised.value)


def test_a_parameter_that_libpq_does_not_know_is_an_error_of_the_url() -> None:
    client = PostgresClient(parse_store_url("postgresql://ann:s3cret@h/d?colour=red"))
    with pytest.raises(StoreError, match=r"the URL is not valid: .*colour") as raised:
        client.rows(b"SELECT 1", {}, is_repeatable=True)
    assert "s3cret" not in str(raised.value)


def test_a_refusal_keeps_the_connection(client: PostgresClient) -> None:
    (before,) = client.rows(PID, {}, is_repeatable=True)
    with pytest.raises(StoreError, match=r"reports an error: relation .* does not exist"):
        client.rows(b"SELECT * FROM nothing_of_that_name", {}, is_repeatable=True)
    assert client.rows(PID, {}, is_repeatable=True) == [before]


def test_a_server_that_hangs_is_not_waited_for(store_database: str) -> None:
    client = PostgresClient(parse_store_url(store_database), CallTimeout(0.2))
    ((pid,),) = client.rows(PID, {}, is_repeatable=True)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(StoreError, match="no answer"):
            client.rows(b"SELECT 1", {}, is_repeatable=False)
    finally:
        os.kill(pid, signal.SIGCONT)
        client.close()


def test_a_shutdown_shortens_the_waits_for_a_server_that_hangs_until_it_answers(store_database: str) -> None:
    timeout = CallTimeout(600.0)
    client = PostgresClient(parse_store_url(store_database), timeout)
    ((pid,),) = client.rows(PID, {}, is_repeatable=True)
    os.kill(pid, signal.SIGSTOP)
    try:
        waiting = threading.Thread(target=timeout.limit_waits, args=(1.0,))
        waiting.start()
        with pytest.raises(StoreError, match="no answer"):
            client.rows(b"SELECT 1", {}, is_repeatable=False)
        waiting.join()
        assert timeout.until(0.0) == 0.5
        client.rows(b"SELECT 1", {}, is_repeatable=True)
        assert timeout.until(0.0) == 1.0
    finally:
        os.kill(pid, signal.SIGCONT)
        client.close()


def test_a_server_that_takes_connections_and_never_greets_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://ann@127.0.0.1:{silent.getsockname()[1]}/shop"
        client = PostgresClient(parse_store_url(url), CallTimeout(0.2))
        with pytest.raises(StoreError, match=r"does not answer: no connection in \d"):
            client.rows(b"SELECT 1", {}, is_repeatable=True)
        client.close()


def test_a_connection_that_cannot_be_made_durable_is_closed(
    client: PostgresClient, store_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.rows(b"CREATE SCHEMA evil", {}, is_repeatable=False)
    raising = b"BEGIN RAISE 'no setting today'; END"
    create = b"CREATE FUNCTION evil.current_setting(text) RETURNS text LANGUAGE plpgsql AS $$ %b $$" % raising
    client.rows(create, {}, is_repeatable=False)
    url = f"{store_database}?application_name=shadowed&options=-csearch_path%3Devil,pg_catalog"
    with pytest.raises(
        StoreError, match="no setting today"
    ) as _kept:  # with the connection, were it left open
        PostgresClient(parse_store_url(url)).rows(b"SELECT 1", {}, is_repeatable=True)
    counted = b"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shadowed'"
    wait_until(lambda: client.rows(counted, {}, is_repeatable=True) == [(0,)], "the end of it", LIMIT_S)


def test_a_closed_client_says_so(client: PostgresClient) -> None:
    client.close()
    client.close()
    with pytest.raises(StoreError, match="the store is closed"):
        client.rows(b"SELECT 1", {}, is_repeatable=True)


def test_a_database_that_fails_for_too_long_ends_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(postgres_client, "time", SimpleNamespace(monotonic=lambda: now[0]))
    client = PostgresClient(parse_store_url("postgresql://ann@127.0.0.1:1/shop"), give_up_s=30.0)
    for passed_s in (0.0, 29.0):
        now[0] += passed_s
        with pytest.raises(StoreError, match="does not answer"):
            client.rows(b"SELECT 1", {}, is_repeatable=True)
    now[0] += 1.0
    with pytest.raises(ClusterError, match="no call to the database has succeeded for 30 s") as raised:
        client.rows(b"SELECT 1", {}, is_repeatable=True)
    assert raised.value.hint == "start it again, then this node"


def test_a_success_ends_the_time_for_which_a_database_has_failed(
    store_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = PostgresClient(parse_store_url(store_database), give_up_s=0.0)
    client.rows(b"SELECT 1", {}, is_repeatable=True)
    with pytest.raises(ClusterError, match="this node gave up"):
        client.rows(b"SELECT * FROM nothing_of_that_name", {}, is_repeatable=True)
    client.close()
    patient = PostgresClient(parse_store_url(store_database), give_up_s=600.0)
    passed_s = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed_s)
    monkeypatch.setattr(postgres_client, "time", clock)
    for _ in range(3):
        with pytest.raises(StoreError, match="does not exist"):
            patient.rows(b"SELECT * FROM nothing_of_that_name", {}, is_repeatable=True)
        passed_s += 500
        assert patient.rows(b"SELECT 1", {}, is_repeatable=True) == [(1,)]
    patient.close()


def test_calls_that_find_all_connections_in_use_do_not_wait_for_ever(store_database: str) -> None:
    client = PostgresClient(parse_store_url(store_database), CallTimeout(0.2))
    with ExitStack() as used:
        for _ in range(CONNECTIONS):
            used.enter_context(client.transaction())
        with pytest.raises(StoreError, match="all connections wait for it"):
            client.rows(b"SELECT 1", {}, is_repeatable=True)
    assert client.rows(b"SELECT 1", {}, is_repeatable=True) == [(1,)]
    client.close()


def test_a_statement_that_the_database_rolled_back_is_tried_again(
    client: PostgresClient, store_database: str
) -> None:
    client.rows(b"CREATE SEQUENCE IF NOT EXISTS tries", {}, is_repeatable=True)
    raising = b"""DO $$ BEGIN
        IF nextval('tries') < 4 THEN RAISE EXCEPTION 'a deadlock' USING ERRCODE = '40P01'; END IF;
    END $$"""
    assert client.rows(raising, {}, is_repeatable=False) == ()
    assert client.rows(b"SELECT last_value FROM tries", {}, is_repeatable=True) == [(4,)]


def test_whether_a_server_listens_is_known_without_a_right_url(store_database: str) -> None:
    found = {}
    for url in (store_database, "postgresql://ann@127.0.0.1:1/shop", "postgresql://ann@h/d?colour=red"):
        client = PostgresClient(parse_store_url(url))
        found[url] = client.is_listening()
    assert [*found.values()] == [True, False, False]


def test_a_connection_in_use_when_the_client_is_closed_is_closed_after_its_use(
    client: PostgresClient,
) -> None:
    with client.transaction() as used:
        client.close()
        assert used.execute(PID).fetchone()
    assert used.closed


def test_what_breaks_one_connection_may_have_broken_the_idle_ones(
    client: PostgresClient, store_database: str
) -> None:
    with client.transaction() as first, client.transaction() as second:
        pids = {each.info.backend_pid for each in (first, second)}
    end_connection(client, store_database)
    with pytest.raises(StoreError, match="does not answer"):
        client.rows(b"SELECT 1", {}, is_repeatable=False)
    assert first.closed
    assert second.closed
    ((pid,),) = client.rows(PID, {}, is_repeatable=False)
    assert pid not in pids


def test_a_server_that_hangs_keeps_no_process_from_ending(
    client: PostgresClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemons: list[bool] = []

    class Recorded(threading.Thread):
        def start(self) -> None:
            daemons.append(self.daemon)
            super().start()

    monkeypatch.setattr(postgres_client, "threading", SimpleNamespace(Thread=Recorded, Event=threading.Event))
    client.new_connection().close()
    assert daemons == [True]
