"""What all backends of the store promise, also behind a network that loses and doubles writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scoopi.model.text.store_url import parse_store_url
from scoopi.store.ports import Change, Outcome, Store, StoreMap
from scoopi.store.postgresql.postgres_client import PostgresClient
from scoopi.store.postgresql.postgres_store import PostgresStore
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.cluster.grids import new_run
from tests.store.faulty_store import Faults, FaultyStore
from tests.store.memory_store import MemoryStore

LETTERS = StoreMap("letters")
PARCELS = StoreMap("parcels", index="depot", large=True)
MAPS = (LETTERS, PARCELS)


def sqlite(folder: Path) -> Store:
    return SqliteStore(folder / "store.db", maps=MAPS)


FAULTS = {
    "settled": Faults(),
    "first-answers-lost": Faults(lose_first_answers=True),
    "delivered-twice": Faults(deliver_twice=True),
    "torn": Faults(torn=0.3, lost_answers=0.2, deliver_twice=True),
}
GRIDS = {"hazelcast": "cluster", "hazelcast-behind-a-faulty-network": "faulty_cluster"}
WHOLE = ["sqlite", "memory", "postgresql", *GRIDS]
"""Those that get batches as they are, not one by one as behind planned faults."""
BACKENDS = ["sqlite", *(f"sqlite-{fault}" for fault in FAULTS), "memory"]
BACKENDS += ["postgresql", "postgresql-torn", *GRIDS]


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    twin, _, fault = request.param.partition("-")
    with ExitStack() as stack:
        if twin == "sqlite":
            plain: Store = sqlite(tmp_path)
            stack.callback(plain.close)
        elif twin == "memory":
            plain = MemoryStore(MAPS)
        elif twin == "postgresql":
            client = PostgresClient(parse_store_url(request.getfixturevalue("store_database")))
            stack.callback(client.close)
            plain = PostgresStore(client, request.node.name, MAPS)
        else:
            grid = stack.enter_context(new_run(request.getfixturevalue(GRIDS[request.param]), MAPS))
            plain = SettlingStore(grid) if fault else grid
        yield SettlingStore(FaultyStore(plain, FAULTS[fault], seed=7), tries=60) if fault in FAULTS else plain


def parcel(depot: str, note: object = 0) -> bytes:
    return f'{{"depot":"{depot}","note":"{note}"}}'.encode()


@pytest.fixture(params=MAPS, ids=str)
def of(request: pytest.FixtureRequest) -> StoreMap:
    """A map without an index, and one with."""
    kind: StoreMap = request.param
    return kind


def value(of: StoreMap, text: str) -> bytes:
    """A record that a map of this kind may hold."""
    return parcel("d", text) if of.index else text.encode()


def test_a_new_store_is_empty(store: Store, of: StoreMap) -> None:
    assert store.get_all(of, ["a"]) == {}
    assert store.scan(of, None, 10) == []
    assert store.count(of) == 0


def test_every_map_keeps_its_own_records(store: Store, of: StoreMap) -> None:
    record = parcel("R/a") if of.index else b"\x00\xff any bytes \xf0"
    assert store.put_if_absent_all(of, [("k", record)]) == [Outcome(True, record)]
    assert store.get_all(of, ["k", "absent", "k"]) == {"k": record}
    assert [other for other in MAPS if store.count(other)] == [of]


def test_a_put_changes_no_record_that_is_there(store: Store, of: StoreMap) -> None:
    store.put_if_absent_all(of, [("a", value(of, "first"))])
    outcomes = store.put_if_absent_all(of, [("a", value(of, "second")), ("b", value(of, "new"))])
    assert outcomes == [Outcome(False, value(of, "first")), Outcome(True, value(of, "new"))]
    assert store.get_all(of, ["a", "b"]) == {"a": value(of, "first"), "b": value(of, "new")}


def test_a_put_of_what_is_there_is_won(store: Store, of: StoreMap) -> None:
    store.put_if_absent_all(of, [("a", value(of, "same"))])
    assert store.put_if_absent_all(of, [("a", value(of, "same"))]) == [Outcome(True, value(of, "same"))]


def test_an_empty_value_is_a_record(store: Store) -> None:
    store.put_if_absent_all(LETTERS, [("a", b"")])
    assert store.put_if_absent_all(LETTERS, [("a", b"x")]) == [Outcome(False, b"")]
    assert store.cas_all(LETTERS, [Change("a", b"", b"y")]) == [Outcome(True, b"y")]


def test_a_change_is_made_only_where_the_expected_record_stands(store: Store, of: StoreMap) -> None:
    store.put_if_absent_all(of, [("a", value(of, "1")), ("b", value(of, "1"))])
    one, two = value(of, "1"), value(of, "2")
    changes = [Change("a", one, two), Change("b", value(of, "0"), two), Change("absent", one, two)]
    outcomes = store.cas_all(of, changes)
    assert outcomes == [Outcome(True, value(of, "2")), Outcome(False, value(of, "1")), Outcome(False, None)]
    assert store.get_all(of, ["a", "b", "absent"]) == {"a": value(of, "2"), "b": value(of, "1")}


def test_a_change_that_was_made_already_is_won(store: Store, of: StoreMap) -> None:
    store.put_if_absent_all(of, [("a", value(of, "2"))])
    assert store.cas_all(of, [Change("a", value(of, "1"), value(of, "2"))]) == [Outcome(True, value(of, "2"))]


@pytest.mark.parametrize("store", ["sqlite", "postgresql", "hazelcast"], indirect=True)
def test_changes_of_one_key_are_made_in_their_order(store: Store) -> None:
    store.put_if_absent_all(LETTERS, [("a", b"1")])
    changes = [Change("a", b"1", b"2"), Change("a", b"2", b"3"), Change("a", b"1", b"4")]
    assert store.cas_all(LETTERS, changes) == [Outcome(True, b"2"), Outcome(True, b"3"), Outcome(False, b"3")]


def test_deleting_what_is_absent_is_no_error(store: Store, of: StoreMap) -> None:
    store.put_if_absent_all(of, [("a", value(of, "1")), ("b", value(of, "2"))])
    store.delete_all(of, ["a", "absent"])
    store.delete_all(of, ["a"])
    assert store.scan(of, None, 10) == [("b", value(of, "2"))]


def test_a_record_that_another_writer_has_changed_is_not_deleted(store: Store, of: StoreMap) -> None:
    old, new = value(of, "1"), value(of, "2")
    store.put_if_absent_all(of, [("a", old), ("b", old), ("c", old)])
    store.cas_all(of, [Change("b", old, new)])
    assert store.delete_same_all(of, [("a", old), ("b", old), ("absent", old)]) == [True, False, True]
    assert store.delete_same_all(of, [("a", old), ("b", new)]) == [True, True]
    assert store.scan(of, None, 10) == [("c", old)]


def test_many_records_are_deleted_as_they_were_read(store: Store, of: StoreMap) -> None:
    records = [(f"{number:03}", value(of, str(number))) for number in range(70)]
    store.put_if_absent_all(of, records)
    assert store.delete_same_all(of, records[:66]) == [True] * 66
    assert store.scan(of, None, 100) == records[66:]


@pytest.mark.parametrize("count", [2, 70])
def test_records_move_to_another_map_all_together_or_not_at_all(store: Store, count: int) -> None:
    old = [(f"{number:03}", value(PARCELS, str(number))) for number in range(count)]
    store.put_if_absent_all(PARCELS, old)
    moves = [Change(key, kept, b"new " + key.encode()) for key, kept in old]
    unlike = Change(old[0][0], value(PARCELS, "other"), b"new")
    absent = Change("absent", old[0][1], b"new")
    for wrong in ([unlike, *moves[1:]], [*moves, absent]):
        assert not store.move_all(PARCELS, LETTERS, wrong)
        assert (store.scan(PARCELS, None, 100), store.count(LETTERS)) == (old, 0)
    store.put_if_absent_all(LETTERS, [(old[-1][0], b"taken")])
    assert not store.move_all(PARCELS, LETTERS, moves)
    assert (store.scan(PARCELS, None, 100), store.count(LETTERS)) == (old, 1)
    store.delete_all(LETTERS, [old[-1][0]])
    if store.move_all(PARCELS, LETTERS, moves):
        old, moved = [], [(change.key, change.new) for change in moves]
    else:
        moved = []  # the backend has no such transactions
    assert (store.scan(PARCELS, None, 100), store.scan(LETTERS, None, 100)) == (old, moved)


def test_empty_batches_do_nothing(store: Store) -> None:
    assert store.get_all(PARCELS, []) == {}
    assert store.put_if_absent_all(PARCELS, []) == []
    assert store.cas_all(PARCELS, []) == []
    store.delete_all(PARCELS, [])
    assert store.delete_same_all(PARCELS, []) == []


def test_all_below_a_key_are_deleted_at_once(store: Store) -> None:
    store.put_if_absent_all(LETTERS, [(key, b"end") for key in ("0a", "ff", "~", "~0a")])
    store.delete_below(LETTERS, "~")
    assert store.get_all(LETTERS, ["0a", "ff", "~", "~0a"]) == {"~": b"end", "~0a": b"end"}
    store.delete_below(LETTERS, "~")
    store.delete_below(LETTERS, "\x7f")
    assert store.count(LETTERS) == 0


def test_a_scan_goes_by_key_and_goes_on_after_one(store: Store, of: StoreMap) -> None:
    records = [(f"k{number:03}", value(of, str(number))) for number in range(25)]
    store.put_if_absent_all(of, records[::-1])
    pages, after = [], ""
    while page := store.scan(of, None, 10, after):
        pages.append(page)
        after = page[-1][0]
    assert pages == [records[:10], records[10:20], records[20:]]


def test_a_scan_of_an_indexed_value_meets_only_its_records(store: Store) -> None:
    depots = {"a": "R/one", "b": "R/two", "c": "R/one", "d": "T/x", "e": "E"}
    store.put_if_absent_all(PARCELS, [(key, parcel(depot)) for key, depot in depots.items()])
    assert store.scan(PARCELS, "R/one", 10) == [("a", parcel("R/one")), ("c", parcel("R/one"))]
    assert store.scan(PARCELS, "R/one", 10, after="a") == [("c", parcel("R/one"))]
    assert store.scan(PARCELS, "R/one", 1) == [("a", parcel("R/one"))]
    assert store.scan(PARCELS, "R/three", 10) == []
    assert store.scan(PARCELS, "R/one", 0) == store.scan(PARCELS, None, 0) == []
    assert [store.count(PARCELS, depot) for depot in ("R/one", "R/two", "T/x", "E", "R")] == [2, 1, 1, 1, 0]


def test_a_scan_of_several_values_meets_the_first_records_of_each(store: Store) -> None:
    depots = {"a": "R/one", "b": "R/two", "c": "R/one", "d": "T/x", "e": "R/one", "f": "R/'ü'"}
    store.put_if_absent_all(PARCELS, [(key, parcel(depot)) for key, depot in depots.items()])

    def found(values: list[str], limit: int, after: str = "") -> list[str]:
        return sorted(key for key, _ in store.scan_each(PARCELS, values, limit, after))

    assert found(["R/one", "R/two", "R/three", "R/'ü'"], 10) == ["a", "b", "c", "e", "f"]
    assert found(["R/one", "R/two"], 2) == ["a", "b", "c"]
    assert found(["R/one", "R/two"], 2, after="a") == ["b", "c", "e"]
    assert found(["R/one", "T/x"], 0) == found([], 10) == []
    assert store.scan_each(PARCELS, ["T/x"], 1) == [("d", parcel("T/x"))]


def test_a_scan_of_several_values_repeats_itself_however_many_there_are(store: Store) -> None:
    keys = [f"{number:032x}" for number in range(0, 2**128, 2**128 // 200)]
    store.put_if_absent_all(PARCELS, [(key, parcel(f"R/{at % 2}")) for at, key in enumerate(keys)])
    values = ["R/0", "R/1", *(f"R/none-{number}" for number in range(60))]
    for _ in range(2):  # the second time it is known how many there are
        found = store.scan_each(PARCELS, values, 70)
        assert sorted(key for key, _ in found) == keys[:140]


def test_a_changed_record_moves_to_its_new_indexed_value(store: Store) -> None:
    store.put_if_absent_all(PARCELS, [("a", parcel("R/one")), ("b", parcel("R/one"))])
    store.cas_all(PARCELS, [Change("a", parcel("R/one"), parcel("T/me"))])
    store.cas_all(PARCELS, [Change("b", parcel("R/two"), parcel("T/me"))])
    assert store.scan(PARCELS, "T/me", 10) == [("a", parcel("T/me"))]
    assert store.scan(PARCELS, "R/one", 10) == [("b", parcel("R/one"))]
    store.delete_all(PARCELS, ["a"])
    assert store.count(PARCELS, "T/me") == 0


def test_keys_and_indexed_values_may_hold_any_text(store: Store) -> None:
    keys = ["a b", "ä/ö", 'q"uote\\', "€uro", "x\ny", "zz'--"]
    store.put_if_absent_all(PARCELS, [(key, parcel("R/[::1]:80")) for key in keys])
    assert [key for key, _ in store.scan(PARCELS, "R/[::1]:80", 10)] == sorted(keys)
    assert set(store.get_all(PARCELS, keys)) == set(keys)


@pytest.mark.parametrize("size", [1, 2, 7, 9, 65])
def test_a_batch_may_have_any_length(store: Store, size: int) -> None:
    _write_batches(store, size)


@pytest.mark.parametrize("size", [513, 1100])
@pytest.mark.parametrize("store", WHOLE, indirect=True)
def test_a_batch_may_be_long(store: Store, size: int) -> None:
    _write_batches(store, size)


def _write_batches(store: Store, size: int) -> None:
    """A batch of each kind of that many records."""
    keys = [f"{number:05}" for number in range(size)]
    wins = store.put_if_absent_all(PARCELS, [(key, parcel("R/h", key)) for key in keys])
    assert [outcome.won for outcome in wins] == [True] * size
    changes = [Change(key, parcel("R/h", key), parcel("T/n", key)) for key in keys]
    changes[size // 2] = Change(keys[size // 2], b"other", parcel("T/n", "never"))
    lost = [outcome.won for outcome in store.cas_all(PARCELS, changes)].count(False)
    assert lost == 1
    assert store.count(PARCELS, "T/n") == size - 1
    assert len(store.get_all(PARCELS, keys)) == size
    store.delete_all(PARCELS, keys)
    assert store.count(PARCELS) == 0


def test_of_threads_that_change_one_record_one_wins(store: Store) -> None:
    rounds, threads = 10, 4
    store.put_if_absent_all(LETTERS, [("a", b"0:")])
    wins: list[int] = []
    barrier = threading.Barrier(threads)

    def change(me: int) -> None:
        for number in range(rounds):
            barrier.wait(timeout=60)
            now = store.get_all(LETTERS, ["a"])["a"]
            barrier.wait(timeout=60)
            if store.cas_all(LETTERS, [Change("a", now, b"%d:%d" % (number + 1, me))])[0].won:
                wins.append(number)

    running = [threading.Thread(target=change, args=(me,)) for me in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(timeout=60)
    assert sorted(wins) == list(range(rounds))
