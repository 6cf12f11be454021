"""ChangeSignals: what one process sends, the listeners of the others hear, also after a lost connection."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import NoReturn

import psycopg
import pytest

from scoopi.model.text.store_url import parse_store_url
from scoopi.store.postgresql import change_signals
from scoopi.store.postgresql.change_signals import ChangeSignals
from scoopi.store.postgresql.postgres_client import PostgresClient

LIMIT_S = 60.0
OTHERS = b"""SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()"""


@pytest.fixture
def client(postgres_url: str) -> Iterator[PostgresClient]:
    with closing(PostgresClient(parse_store_url(postgres_url))) as client:
        yield client


def test_a_listener_hears_others_and_not_its_own_process(client: PostgresClient) -> None:
    heard: queue.Queue[str] = queue.Queue()
    ann, bob = ChangeSignals(client, "ann"), ChangeSignals(client, "bob")
    with closing(ann.listen(lambda: heard.put("ann"))), closing(bob.listen(lambda: heard.put("bob"))):
        assert {heard.get(timeout=LIMIT_S), heard.get(timeout=LIMIT_S)} == {"ann", "bob"}, "both have begun"
        for sender, listener in ((ann, "bob"), (bob, "ann"), (ann, "bob")):
            sender.send()
            assert heard.get(timeout=LIMIT_S) == listener
    ann.send()
    assert heard.empty()


def test_after_a_lost_connection_it_looks_again_and_listens(client: PostgresClient) -> None:
    heard: queue.Queue[None] = queue.Queue()
    with closing(ChangeSignals(client, "ann").listen(lambda: heard.put(None))):
        heard.get(timeout=LIMIT_S)
        client.rows(OTHERS, {}, is_repeatable=False)
        heard.get(timeout=LIMIT_S)
        ChangeSignals(client, "bob").send()
        heard.get(timeout=LIMIT_S)


def test_a_notification_is_sent_although_the_connection_was_lost_meanwhile(client: PostgresClient) -> None:
    heard: queue.Queue[None] = queue.Queue()
    with closing(PostgresClient(client.url)) as sender:
        bob = ChangeSignals(sender, "bob")
        bob.send()
        client.rows(OTHERS, {}, is_repeatable=False)
        with closing(ChangeSignals(client, "ann").listen(lambda: heard.put(None))):
            heard.get(timeout=LIMIT_S)
            bob.send()
            heard.get(timeout=LIMIT_S)


def test_a_listener_that_is_closed_ends_its_thread_which_keeps_no_process_from_ending(
    client: PostgresClient,
) -> None:
    listening = threading.Event()
    listener = ChangeSignals(client, "ann").listen(listening.set)
    assert listening.wait(LIMIT_S)
    (thread,) = (each for each in threading.enumerate() if each.name == "listener")
    assert thread.daemon
    listener.close()
    thread.join(LIMIT_S)
    assert not thread.is_alive()


def test_while_the_database_is_away_nothing_is_sent_and_nothing_fails() -> None:
    client = PostgresClient(parse_store_url("postgresql://ann@127.0.0.1:1/shop"))
    signals = ChangeSignals(client, "ann")
    signals.send()
    signals.listen(lambda: None).close()


def test_a_listener_is_closed_although_the_database_hangs() -> None:
    opening, answers, closed = threading.Event(), threading.Event(), threading.Event()
    heard: queue.Queue[None] = queue.Queue()

    class Hanging(PostgresClient):
        def new_connection(self) -> NoReturn:
            opening.set()
            answers.wait()
            raise psycopg.OperationalError("no answer in time")

    client = Hanging(parse_store_url("postgresql://ann@127.0.0.1:1/shop"))
    listener = ChangeSignals(client, "ann").listen(lambda: heard.put(None))
    assert opening.wait(LIMIT_S)

    def close() -> None:
        listener.close()
        closed.set()

    threading.Thread(target=close, daemon=True).start()
    try:
        assert closed.wait(LIMIT_S)
        assert heard.empty()
    finally:
        answers.set()


def test_a_listener_that_is_closed_is_waited_for_up_to_a_second(
    client: PostgresClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []

    class Recorded(threading.Thread):
        def join(self, timeout: float | None = None) -> None:
            waits.append(timeout)
            super().join(timeout)

    parts = SimpleNamespace(Thread=Recorded, Event=threading.Event)
    monkeypatch.setattr(change_signals, "threading", parts)
    ChangeSignals(client, "ann").listen(lambda: None).close()
    (wait_s,) = waits
    assert wait_s is not None
    assert 0 < wait_s <= 1
