"""What the store on Hazelcast promises beyond the port: nothing pickled, faults named, runs kept apart."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, RecordError, RunError, StoreError
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.ports import ENDED, JOBS, RUN, RUN_MAPS, Change
from scoopi.store.settling_store import SettlingStore
from tests.clock import Clock
from tests.cluster.grids import free_port, members, new_run, plain_client, settings_of
from tests.engine.workspace import wait_until
from tests.security.hostile_grid import NO_TYPE, VALUES, attacker_of, plant

LIMIT_S = 20.0


@pytest.fixture
def store(cluster: ClusterClient) -> Iterator[HazelcastStore]:
    with new_run(cluster) as store:
        yield store


def job(index_value: str) -> bytes:
    return b'{"state_key":"%s"}' % index_value.encode()


def digests(number: int) -> list[str]:
    return [hashlib.blake2b(b"%d" % one, digest_size=16).hexdigest() for one in range(number)]


def test_only_text_json_and_bytes_are_ever_sent(
    store: HazelcastStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: set[int] = set()

    def watched(to_data: Callable[..., Any], thing: object, *more: object) -> Any:
        data = to_data(thing, *more)
        if data is not None:
            sent.add(data.get_type())
        return data

    maps: list[Any] = [store.grid_map(name) for name in RUN_MAPS]
    for kept in maps:
        monkeypatch.setattr(kept, "_to_data", partial(watched, kept._to_data))
    for name in RUN_MAPS:
        value, other = (job("R/a"), job("E")) if name is JOBS else (b"a", b"b")
        store.put_if_absent_all(name, [("k", value)])
        store.cas_all(name, [Change("k", value, other), Change("k", value, other)])
        store.get_all(name, ["k"])
        store.set_ttl_all(name, ["k"], 60)
        store.scan(name, None, 10)
        store.scan(name, None, 5000, "a")
        store.delete_all(name, ["k"])
        store.delete_below(name, "z")
    store.scan(JOBS, "R/a", 10, "a")
    store.count(JOBS, "R/a")
    text, byte_array, json, predicate = -11, -12, -130, -2
    assert {text, byte_array, json} <= sent <= {text, byte_array, json, predicate}


def test_what_the_client_would_pickle_is_refused(store: HazelcastStore) -> None:
    with pytest.raises(Exception, match="a bytes may not be sent to the cluster: it would be pickled"):
        store.grid_map(RUN).put_if_absent("k", b"bytes are pickled")
    assert store.count(RUN) == 0


def test_keys_that_are_no_texts_are_skipped_and_warned_of_once(
    store: HazelcastStore, cluster: ClusterClient, caplog: pytest.LogCaptureFixture
) -> None:
    store.put_if_absent_all(RUN, [("a", b"1"), ("b", b"2")])
    with attacker_of(cluster) as attacker:
        plant(attacker, f"{store.prefix}.{RUN}", 7, bytearray(b"x"))
    for _ in range(2):
        assert store.scan(RUN, None, 10) == [("a", b"1"), ("b", b"2")]
    (warning,) = caplog.messages
    assert warning == (
        f"the map {store.prefix}.{RUN} holds keys that Scoopi did not write, which are skipped; "
        r"one is a value of Hazelcast's type -3 that begins with b'\x07'"
    )


@pytest.mark.parametrize(
    ("kind", "place"), [(NO_TYPE, "jobs['']"), ("JSON of another shape", "jobs['evil']")]
)
def test_a_value_with_which_members_refuse_a_call_is_named(
    store: HazelcastStore, cluster: ClusterClient, kind: str, place: str
) -> None:
    with attacker_of(cluster) as attacker:
        plant(attacker, f"{store.prefix}.{JOBS}", "evil", VALUES[kind])
    with pytest.raises(RecordError) as named:
        store.put_if_absent_all(JOBS, [("a", job("R/h"))])
    assert named.value.at == place


def test_runs_do_not_see_each_other_nor_what_belongs_to_no_run(cluster: ClusterClient) -> None:
    of_no_run = HazelcastStore(cluster)
    with new_run(cluster) as one, new_run(cluster) as two:
        for store, value in ((one, b"1"), (two, b"2"), (of_no_run, b"0")):
            assert store.put_if_absent_all(RUN, [("current/x", value)])[0].won
        assert [store.get_all(RUN, ["current/x"])["current/x"] for store in (one, two, of_no_run)] == [
            b"1",
            b"2",
            b"0",
        ]
    of_no_run.destroy()


def test_each_partition_holds_one_canary(store: HazelcastStore, cluster: ClusterClient) -> None:
    keys = cluster.spread_keys("canary")
    with plain_client(cluster) as plain:
        assert sorted(map(plain.partition_service.get_partition_id, keys)) == list(range(271))
    assert keys == cluster.spread_keys("canary")


def test_records_end_by_themselves_when_reported_so(store: HazelcastStore) -> None:
    store.put_if_absent_all(RUN, [("short", b"1"), ("long", b"2")])
    store.set_ttl_all(RUN, ["short", "absent"], 1)
    wait_until(lambda: not store.get_all(RUN, ["short"]), "the end of the record", 60)
    assert store.get_all(RUN, ["short", "long"]) == {"long": b"2"}


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_pages_of_an_indexed_value_are_whole_and_sorted_whatever_was_taken_between(
    store: HazelcastStore, limit: int
) -> None:
    """As jobs are taken: the same page is asked for again when its records have gone elsewhere."""
    keys = digests(600)
    store.put_if_absent_all(JOBS, [(key, job("R/h")) for key in keys])
    left, random = sorted(keys), Random(limit)
    while left:
        after = random.choice(["", "8", left[len(left) // 2]])
        expected = [key for key in left if key > after][:limit]
        assert [key for key, _ in store.scan(JOBS, "R/h", limit, after)] == expected
        taken = expected if limit == 100 else (expected + left[:150])
        store.delete_all(JOBS, taken)
        left = [key for key in left if key not in taken]
    assert store.scan(JOBS, "R/h", limit) == []


def test_large_pages_are_whole_and_sorted_also_of_keys_that_crowd(store: HazelcastStore) -> None:
    keys = [*digests(2500), *(f"0000{number:05}" for number in range(1200)), "x-y", "zz"]
    store.put_if_absent_all(ENDED, [(key, b"") for key in keys])
    for limit in (1000, 1500, 3000, 9000):
        got: list[str] = []
        while page := store.scan(ENDED, None, limit, got[-1] if got else ""):
            assert len(page) == min(limit, len(keys) - len(got))
            got += [key for key, _ in page]
        assert got == sorted(keys)


def test_a_cluster_that_nobody_answers_for_is_a_clear_error() -> None:
    port = free_port()
    with pytest.raises(ClusterError) as caught:
        ClusterClient(ClusterSettings((f"127.0.0.1:{port}",), name="nobody", connect_timeout_ms=300))
    for part in ("nobody", "within 0.3 s", f"127.0.0.1:{port} cannot be reached", "scoopi member"):
        assert part in str(caught.value)


def test_a_member_of_another_cluster_is_not_taken_for_no_member(cluster: ClusterClient) -> None:
    with pytest.raises(ClusterError, match="answers, but is not a member of that name"):
        ClusterClient(ClusterSettings(tuple(cluster.members()), name="other", connect_timeout_ms=300))


def test_a_port_that_takes_connections_and_says_nothing_holds_nobody_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        refused: list[str] = []

        def connect() -> None:
            try:
                ClusterClient(ClusterSettings((address,), name="nobody", connect_timeout_ms=300))
            except ClusterError as error:
                refused.append(str(error))

        connecting = threading.Thread(target=connect, daemon=True)
        connecting.start()
        connecting.join(LIMIT_S)
    assert len(refused) == 1
    assert f"within 0.3 s: {address} answers, but is not a member of that name, hangs" in refused[0]


def test_a_node_outlives_the_members_and_sees_that_their_data_is_lost(tmp_path: Path) -> None:
    with members(tmp_path) as first:
        settings = settings_of(
            first, connect_timeout_ms=4000, call_timeout_ms=500, reconnect_timeout_ms=60_000
        )
        client = ClusterClient(settings)
        store = HazelcastStore(client, "r")
        store.put_if_absent_all(RUN, [("a", b"1")])
        assert client.unreachable_ms() == 0
        first[0].end(hard=True)
        with pytest.raises(StoreError, match="the outcome is not known yet"):
            store.get_all(RUN, ["a"])
        assert client.unreachable_ms() > 0
    with members(tmp_path, port=int(settings.addresses[0].rpartition(":")[2])):
        settled = SettlingStore(store)
        for _ in range(40):
            try:
                assert settled.get_all(RUN, ["a"]) == {}
                break
            except StoreError:
                continue
        assert client.unreachable_ms() == 0
        assert settled.put_if_absent_all(RUN, [("a", b"2")])[0].won
        client.close()


def test_a_node_gives_up_when_the_members_stay_away(tmp_path: Path) -> None:
    with members(tmp_path) as started:
        client = ClusterClient(settings_of(started, call_timeout_ms=300, reconnect_timeout_ms=1500))
        store = HazelcastStore(client, "r")
        started[0].end(hard=True)
        for _ in range(20):
            with pytest.raises((StoreError, ClusterError)) as caught:
                store.count(RUN)
            if caught.type is ClusterError:
                break
        assert "has been reachable for" in str(caught.value)
        client.close()
        with pytest.raises(ClusterError):
            store.count(RUN)


def test_no_write_is_lost_when_a_member_is_killed(tmp_path: Path) -> None:
    with members(tmp_path, 2) as started:
        client = ClusterClient(settings_of(started))
        store = SettlingStore(HazelcastStore(client, "r"))
        keys = digests(4000)
        killed = threading.Timer(0.15, started[1].end, [True])
        killed.start()
        for start in range(0, len(keys), 200):
            part = keys[start : start + 200]
            store.put_if_absent_all(JOBS, [(key, job("R/h")) for key in part])
            outcomes = store.cas_all(JOBS, [Change(key, job("R/h"), job("T/me")) for key in part])
            assert all(outcome.won for outcome in outcomes)
        killed.join()
        assert not started[1].is_running
        assert store.count(JOBS) == len(keys)
        assert [key for key, _ in store.scan(JOBS, "T/me", 5000)] == sorted(keys)
        client.close()


def test_a_store_is_guarded_unless_it_is_the_one_that_counts_the_members(cluster: ClusterClient) -> None:
    def refuse() -> None:
        raise StoreError("the cluster seems split")

    with new_run(cluster) as store:
        run = store.prefix.removeprefix("scoopi.")
        cluster.guard(refuse)
        try:
            with pytest.raises(StoreError, match="seems split"):
                HazelcastStore(cluster, run).get_all(RUN, ["a"])
            assert HazelcastStore(cluster, run, guarded=False).get_all(RUN, ["a"]) == {}
        finally:
            cluster.guard(lambda: None)


def test_an_indexed_map_gets_its_index_and_others_get_none(
    cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed: list[str] = []

    class Watched:
        """A map of the grid that notes its indexes."""

        def __init__(self, kept: Any) -> None:
            self._kept = kept

        def __getattr__(self, name: str) -> Any:
            return getattr(self._kept, name)

        def add_index(self, **options: Any) -> Any:
            indexed.append(options["attributes"][0])
            return self._kept.add_index(**options)

    opened = cluster.map
    monkeypatch.setattr(cluster, "map", lambda name: Watched(opened(name)))
    with new_run(cluster) as store:
        for store_map in RUN_MAPS:
            store.count(store_map)
            store.count(store_map)
    assert indexed == [each.index for each in RUN_MAPS if each.index]


def test_only_a_deletion_that_the_members_reject_is_made_record_by_record(store: HazelcastStore) -> None:
    from hazelcast import future
    from hazelcast.errors import HazelcastSerializationError

    store.put_if_absent_all(RUN, [("a", b"1"), ("b", b"2"), ("c", b"3")])
    kept: Any = store.grid_map(RUN)
    futures: Any = future

    def failing(error: Exception) -> Callable[[object], Any]:
        def remove_all(_: object) -> Any:
            failed = futures.Future()
            failed.set_exception(error, None)
            return failed

        return remove_all

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "remove_all", failing(OSError("the connection is lost")))
        with pytest.raises(StoreError):
            store.delete_below(RUN, "b")
        assert len(store.get_all(RUN, ["a", "b", "c"])) == 3
        patch.setattr(kept, "remove_all", failing(HazelcastSerializationError("an unknown type")))
        store.delete_below(RUN, "b")
    assert set(store.get_all(RUN, ["a", "b", "c"])) == {"b", "c"}


@pytest.mark.parametrize("is_gone", [None, True, False])
def test_after_a_long_pause_a_store_is_used_again_unless_its_run_was_removed(
    cluster: ClusterClient, clock: Clock, is_gone: bool | None
) -> None:
    with new_run(cluster) as other:
        run = other.prefix.partition(".")[2]
        guard: dict[str, Any] = {} if is_gone is None else {"is_gone": lambda: is_gone}
        store = HazelcastStore(cluster, run, clock=clock, **guard)
        store.put_if_absent_all(RUN, [("a", b"1")])
        clock.pass_s(1000)
        with pytest.raises(RunError, match="the run's data is lost") if is_gone else nullcontext():
            assert store.get_all(RUN, ["a"]) == {"a": b"1"}
