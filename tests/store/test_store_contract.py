"""What both twins of the store promise, also behind a network that loses and doubles writes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoopi.store.ports import Change, MapName, Outcome, Store
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.cluster.grids import new_run
from tests.store.faulty_store import Faults, FaultyStore

JOBS, RUN = MapName.JOBS, MapName.RUN


def sqlite(folder: Path) -> Store:
    return SqliteStore(folder / "store.db")


def settling(faults: Faults) -> Callable[[Path], Store]:
    return lambda folder: SettlingStore(FaultyStore(sqlite(folder), faults, seed=7), tries=60)


TWINS: dict[str, Callable[[Path], Store]] = {
    "sqlite": sqlite,
    "sqlite-settled": settling(Faults()),
    "sqlite-first-answers-lost": settling(Faults(lose_first_answers=True)),
    "sqlite-delivered-twice": settling(Faults(deliver_twice=True)),
    "sqlite-torn": settling(Faults(torn=0.3, lost_answers=0.2, deliver_twice=True)),
}

GRIDS = {"hazelcast": "cluster", "hazelcast-behind-a-faulty-network": "faulty_cluster"}


@pytest.fixture(params=[*TWINS, *GRIDS])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param in GRIDS:
        with new_run(request.getfixturevalue(GRIDS[request.param])) as grid:
            yield SettlingStore(grid) if "faulty" in request.param else grid
        return
    store = TWINS[request.param](tmp_path)
    yield store
    store.close()


def job(slot: str, note: object = 0) -> bytes:
    return f'{{"note":"{note}","slot":"{slot}"}}'.encode()


def test_a_new_store_is_empty(store: Store) -> None:
    for name in MapName:
        assert store.get_all(name, ["a"]) == {}
        assert store.scan(name, None, 10) == []
        assert store.count(name) == 0


@pytest.mark.parametrize("name", MapName)
def test_every_map_keeps_its_own_records(store: Store, name: MapName) -> None:
    value = job("R/a") if name is JOBS else b"\x00\xff any bytes \xf0"
    assert store.put_if_absent_all(name, [("k", value)]) == [Outcome(True, value)]
    assert store.get_all(name, ["k", "absent", "k"]) == {"k": value}
    assert [other for other in MapName if store.count(other)] == [name]


def test_a_put_changes_no_record_that_is_there(store: Store) -> None:
    store.put_if_absent_all(RUN, [("a", b"first")])
    outcomes = store.put_if_absent_all(RUN, [("a", b"second"), ("b", b"new")])
    assert outcomes == [Outcome(False, b"first"), Outcome(True, b"new")]
    assert store.get_all(RUN, ["a", "b"]) == {"a": b"first", "b": b"new"}


def test_a_put_of_what_is_there_is_won(store: Store) -> None:
    store.put_if_absent_all(RUN, [("a", b"same")])
    assert store.put_if_absent_all(RUN, [("a", b"same")]) == [Outcome(True, b"same")]


def test_an_empty_value_is_a_record(store: Store) -> None:
    store.put_if_absent_all(RUN, [("a", b"")])
    assert store.put_if_absent_all(RUN, [("a", b"x")]) == [Outcome(False, b"")]
    assert store.cas_all(RUN, [Change("a", b"", b"y")]) == [Outcome(True, b"y")]


def test_a_change_is_made_only_where_the_expected_record_stands(store: Store) -> None:
    store.put_if_absent_all(RUN, [("a", b"1"), ("b", b"1")])
    outcomes = store.cas_all(
        RUN, [Change("a", b"1", b"2"), Change("b", b"0", b"2"), Change("absent", b"1", b"2")]
    )
    assert outcomes == [Outcome(True, b"2"), Outcome(False, b"1"), Outcome(False, None)]
    assert store.get_all(RUN, ["a", "b", "absent"]) == {"a": b"2", "b": b"1"}


def test_a_change_that_was_made_already_is_won(store: Store) -> None:
    store.put_if_absent_all(RUN, [("a", b"2")])
    assert store.cas_all(RUN, [Change("a", b"1", b"2")]) == [Outcome(True, b"2")]


def test_changes_of_one_key_are_made_in_their_order(tmp_path: Path) -> None:
    store = sqlite(tmp_path)
    store.put_if_absent_all(RUN, [("a", b"1")])
    changes = [Change("a", b"1", b"2"), Change("a", b"2", b"3"), Change("a", b"1", b"4")]
    assert store.cas_all(RUN, changes) == [Outcome(True, b"2"), Outcome(True, b"3"), Outcome(False, b"3")]
    store.close()


def test_deleting_what_is_absent_is_no_error(store: Store) -> None:
    store.put_if_absent_all(RUN, [("a", b"1"), ("b", b"2")])
    store.delete_all(RUN, ["a", "absent"])
    store.delete_all(RUN, ["a"])
    assert store.scan(RUN, None, 10) == [("b", b"2")]


def test_empty_batches_do_nothing(store: Store) -> None:
    assert store.get_all(JOBS, []) == {}
    assert store.put_if_absent_all(JOBS, []) == []
    assert store.cas_all(JOBS, []) == []
    store.delete_all(JOBS, [])


def test_all_below_a_key_are_deleted_at_once(store: Store) -> None:
    ended = MapName.ENDED
    store.put_if_absent_all(ended, [(key, b"end") for key in ("0a", "ff", "~", "~0a")])
    store.delete_below(ended, "~")
    assert store.get_all(ended, ["0a", "ff", "~", "~0a"]) == {"~": b"end", "~0a": b"end"}
    store.delete_below(ended, "~")
    store.delete_below(ended, "\x7f")
    assert store.count(ended) == 0


def test_a_scan_goes_by_key_and_goes_on_after_one(store: Store) -> None:
    records = [(f"k{number:03}", b"%d" % number) for number in range(25)]
    store.put_if_absent_all(RUN, records[::-1])
    pages, after = [], ""
    while page := store.scan(RUN, None, 10, after):
        pages.append(page)
        after = page[-1][0]
    assert pages == [records[:10], records[10:20], records[20:]]


def test_a_scan_of_a_slot_meets_only_its_records(store: Store) -> None:
    slots = {"a": "R/one", "b": "R/two", "c": "R/one", "d": "T/x", "e": "E"}
    store.put_if_absent_all(JOBS, [(key, job(slot)) for key, slot in slots.items()])
    assert store.scan(JOBS, "R/one", 10) == [("a", job("R/one")), ("c", job("R/one"))]
    assert store.scan(JOBS, "R/one", 10, after="a") == [("c", job("R/one"))]
    assert store.scan(JOBS, "R/one", 1) == [("a", job("R/one"))]
    assert store.scan(JOBS, "R/three", 10) == []
    assert [store.count(JOBS, slot) for slot in ("R/one", "R/two", "T/x", "E", "R")] == [2, 1, 1, 1, 0]


def test_a_changed_record_moves_to_its_new_slot(store: Store) -> None:
    store.put_if_absent_all(JOBS, [("a", job("R/one")), ("b", job("R/one"))])
    store.cas_all(JOBS, [Change("a", job("R/one"), job("T/me"))])
    store.cas_all(JOBS, [Change("b", job("R/two"), job("T/me"))])
    assert store.scan(JOBS, "T/me", 10) == [("a", job("T/me"))]
    assert store.scan(JOBS, "R/one", 10) == [("b", job("R/one"))]
    store.delete_all(JOBS, ["a"])
    assert store.count(JOBS, "T/me") == 0


def test_keys_and_slots_may_hold_any_text(store: Store) -> None:
    keys = ["a b", "ä/ö", 'q"uote\\', "€uro", "x\ny", "zz'--"]
    store.put_if_absent_all(JOBS, [(key, job("R/[::1]:80")) for key in keys])
    assert [key for key, _ in store.scan(JOBS, "R/[::1]:80", 10)] == sorted(keys)
    assert set(store.get_all(JOBS, keys)) == set(keys)


@pytest.mark.parametrize("size", [1, 2, 7, 9, 65, 513, 1100])
def test_a_batch_may_have_any_length(store: Store, size: int) -> None:
    keys = [f"{number:05}" for number in range(size)]
    wins = store.put_if_absent_all(JOBS, [(key, job("R/h", key)) for key in keys])
    assert [outcome.won for outcome in wins] == [True] * size
    changes = [Change(key, job("R/h", key), job("T/n", key)) for key in keys]
    changes[size // 2] = Change(keys[size // 2], b"other", job("T/n", "never"))
    lost = [outcome.won for outcome in store.cas_all(JOBS, changes)].count(False)
    assert lost == 1
    assert store.count(JOBS, "T/n") == size - 1
    assert len(store.get_all(JOBS, keys)) == size
    store.delete_all(JOBS, keys)
    assert store.count(JOBS) == 0


def test_of_threads_that_change_one_record_one_wins(store: Store) -> None:
    rounds, threads = 10, 4
    store.put_if_absent_all(RUN, [("a", b"0:")])
    wins: list[int] = []
    barrier = threading.Barrier(threads)

    def change(me: int) -> None:
        for number in range(rounds):
            barrier.wait(timeout=10)
            now = store.get_all(RUN, ["a"])["a"]
            barrier.wait(timeout=10)
            if store.cas_all(RUN, [Change("a", now, b"%d:%d" % (number + 1, me))])[0].won:
                wins.append(number)

    running = [threading.Thread(target=change, args=(me,)) for me in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(timeout=20)
    assert sorted(wins) == list(range(rounds))
