"""PostgresStore: beside the contract, what only a database does: spaces, expiry, restarts, other formats."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext

import pytest

from scoopi.errors import RunError, StoreError
from scoopi.model.text.store_url import parse_store_url
from scoopi.store import suspension_guard
from scoopi.store.ports import ENDED, RUN, Change, Outcome, Store
from scoopi.store.postgresql.postgres_client import PostgresClient, ResultRows
from scoopi.store.postgresql.postgres_store import PostgresStore
from scoopi.store.settling_store import SettlingStore
from tests.cluster.proxy import Plan, Proxy
from tests.outputs.postgres_server import PostgresServer

MAPS = (RUN, ENDED)


@contextmanager
def opened(url: str, space: str = "") -> Iterator[PostgresStore]:
    with closing(PostgresClient(parse_store_url(url))) as client:
        yield PostgresStore(client, space, MAPS)


def counted(store: Store, wins: list[int], rounds: int) -> None:
    """Increment a counter by conditional writes; each win is noted."""
    for _ in range(rounds):
        old = store.get_all(RUN, ["counter"])["counter"]
        number = int(old.split()[0]) + 1
        me = b"%d by %d" % (number, threading.get_ident())
        if store.cas_all(RUN, [Change("counter", old, me)])[0].won:
            wins.append(number)


def test_spaces_do_not_see_each_other(postgres_url: str) -> None:
    with opened(postgres_url, "one") as one, opened(postgres_url, "two") as two:
        one.put_if_absent_all(RUN, [("a", b"1")])
        assert two.put_if_absent_all(RUN, [("a", b"2")]) == [Outcome(True, b"2")]
        two.destroy()
        assert one.scan(RUN, None, 9) == [("a", b"1")]
        assert two.count(RUN) == 0


def test_an_expired_record_is_gone_by_the_clock_of_the_database(postgres_url: str) -> None:
    with opened(postgres_url) as store:
        store.put_if_absent_all(RUN, [("a", b"1"), ("b", b"1"), ("c", b"1")])
        store.set_ttl_all(RUN, ["a", "absent"], 0)
        store.set_ttl_all(RUN, ["b"], 3600)
        assert store.scan(RUN, None, 9) == [("b", b"1"), ("c", b"1")]
        assert store.cas_all(RUN, [Change("a", b"1", b"2")]) == [Outcome(False, None)]
        assert store.put_if_absent_all(RUN, [("a", b"new")]) == [Outcome(True, b"new")]
        assert store.get_all(RUN, ["a"]) == {"a": b"new"}
        store.set_ttl_all(RUN, ["a"], 0)
    with opened(postgres_url) as store:
        client = PostgresClient(parse_store_url(postgres_url))
        ((rows,),) = client.rows(b"SELECT count(*) FROM scoopi_run", {}, is_repeatable=True)
        client.close()
        assert (rows, store.count(RUN)) == (2, 2), "opening a store deletes what has expired"


def test_batches_in_opposite_orders_do_not_wait_for_each_other(postgres_url: str) -> None:
    keys = [f"{number:03}" for number in range(200)]
    with opened(postgres_url) as one, opened(postgres_url) as two:
        one.put_if_absent_all(RUN, [(key, b"0") for key in keys])
        wins: dict[bytes, int] = {}

        def change(store: Store, order: list[str], mine: bytes) -> None:
            old = b"0"
            for number in range(10):
                new = b"%d %s" % (number, mine)
                outcomes = store.cas_all(RUN, [Change(key, old, new) for key in order])
                wins[mine] = wins.get(mine, 0) + sum(outcome.won for outcome in outcomes)
                old = new

        threads = [
            threading.Thread(target=change, args=(one, keys, b"one")),
            threading.Thread(target=change, args=(two, keys[::-1], b"two")),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sum(wins.values()) == 2000, "each record belongs to the first that changed it"


@pytest.mark.parametrize("plan", [Plan(cut=0.15, spared=4), Plan(drop=0.15, spared=4)], ids=["cut", "drop"])
def test_a_connection_lost_before_or_after_the_commit_loses_and_doubles_nothing(
    postgres: PostgresServer, postgres_url: str, plan: Plan
) -> None:
    with Proxy(plan, seed=5, target=postgres.port) as proxy:
        url = postgres_url.replace(f":{postgres.port}", f":{proxy.port}")
        with opened(postgres_url) as direct:
            direct.put_if_absent_all(RUN, [("counter", b"0")])
            wins: list[int] = []
            with closing(PostgresClient(parse_store_url(url + "?sslmode=disable"))) as client:
                proxied = SettlingStore(PostgresStore(client, "", MAPS), tries=30)
                counted(proxied, wins, 60)
            assert wins == [*range(1, 61)]
            assert direct.get_all(RUN, ["counter"])["counter"].startswith(b"60 ")
        assert proxy.cuts + proxy.drops > 3


def test_writers_go_on_after_the_server_was_restarted(postgres: PostgresServer, postgres_url: str) -> None:
    with opened(postgres_url) as one:
        one.put_if_absent_all(RUN, [("counter", b"0")])
        settled = SettlingStore(one)
        wins: list[int] = []
        counted(settled, wins, 3)
        postgres.crash(0)
        counted(settled, wins, 3)
        assert wins == [1, 2, 3, 4, 5, 6]


def test_tables_of_another_format_are_refused(postgres_url: str) -> None:
    with opened(postgres_url):
        pass
    with closing(PostgresClient(parse_store_url(postgres_url))) as client:
        client.rows(b"UPDATE scoopi_format SET format = 9", {}, is_repeatable=False)
        with pytest.raises(StoreError, match="have format 9, this Scoopi reads format 1") as raised:
            PostgresStore(client, "", MAPS)
        assert raised.value.at == postgres_url


def test_a_database_needs_unicode(postgres: PostgresServer) -> None:
    url = postgres.database("ascii_only TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")
    with pytest.raises(StoreError, match="the encoding SQL_ASCII"), opened(url.partition(" ")[0]):
        pass


def test_processes_that_create_the_tables_at_the_same_time(postgres_url: str) -> None:
    faults: list[Exception] = []

    def open_one() -> None:
        try:
            with opened(postgres_url) as store:
                store.count(RUN)
        except StoreError as error:
            faults.append(error)

    threads = [threading.Thread(target=open_one) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []


def test_a_node_that_was_away_writes_nothing_to_a_run_that_was_removed(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspension_guard, "AWAY_S", -1)
    with opened(postgres_url) as store:
        removed, kept = store.of_space("old", lambda: True), store.of_space("new", lambda: False)
        for write in (removed.put_if_absent_all, kept.put_if_absent_all):
            with nullcontext() if write == kept.put_if_absent_all else pytest.raises(RunError):
                write(RUN, [("a", b"1")])
        assert (store.of_space("old").count(RUN), store.of_space("new").count(RUN)) == (0, 1)


def test_what_reads_is_repeated_when_a_connection_turns_out_to_be_dead_and_what_writes_is_not(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PostgresClient(parse_store_url(postgres_url))) as client:
        store = PostgresStore(client, "", MAPS)
        repeatable: list[bool] = []
        rows = client.rows

        def noted(statement: bytes, values: Mapping[str, object], *, is_repeatable: bool) -> ResultRows:
            repeatable.append(is_repeatable)
            return rows(statement, values, is_repeatable=is_repeatable)

        monkeypatch.setattr(client, "rows", noted)
        assert store.put_if_absent_all(RUN, [("a", b"1")]) == [Outcome(True, b"1")]
        assert store.cas_all(RUN, [Change("a", b"1", b"2")]) == [Outcome(True, b"2")]
        store.delete_all(RUN, ["a"])
        assert repeatable == [False] * 3
        repeatable.clear()
        assert (store.count(RUN), store.scan(RUN, None, 9), store.get_all(RUN, ["a"])) == (0, [], {})
        assert repeatable == [True] * 3
