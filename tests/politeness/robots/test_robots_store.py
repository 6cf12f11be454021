"""RobotsStore: of all nodes one reads a robots.txt, whatever crashes over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from scoopi.model.robots import RobotsAnswer, RobotsKind, RobotsLine
from scoopi.politeness.robots.robots_store import RobotsReader, RobotsStore
from scoopi.store.ports import Change, Outcome, StoreMap
from scoopi.store.solo.sqlite_store import SqliteStore

HOST, OTHER = "a.example:80", "b.example:80"
RULES = RobotsAnswer(RobotsKind.KNOWN, (RobotsLine(2, "Disallow: /x"),), "200")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    store = SqliteStore(tmp_path / "store.db")
    yield store
    store.close()


def test_the_first_node_reads_and_the_others_wait_for_it(store: SqliteStore) -> None:
    one, two = (RobotsStore(store, name, lambda node: False) for name in ("one", "two"))
    assert one.open([HOST]) == {HOST: RobotsReader.THIS_NODE}
    assert two.open([HOST, OTHER]) == {HOST: RobotsReader.ANOTHER, OTHER: RobotsReader.THIS_NODE}
    assert one.open([HOST]) == {HOST: RobotsReader.THIS_NODE}, "asked again, as after an answer that was lost"
    one.close({HOST: RULES})
    assert two.open([HOST]) == {HOST: RULES}


def test_what_a_node_that_is_gone_was_reading_is_read_by_another(store: SqliteStore) -> None:
    gone: set[str] = set()
    one, two, three = (RobotsStore(store, name, gone.__contains__) for name in ("one", "two", "three"))
    one.open([HOST])
    assert two.open([HOST]) == {HOST: RobotsReader.ANOTHER}
    gone.add("one")
    assert two.open([HOST]) == {HOST: RobotsReader.THIS_NODE}
    assert three.open([HOST]) == {HOST: RobotsReader.ANOTHER}


def test_of_two_nodes_that_take_over_at_once_one_reads(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, three = (
        RobotsStore(store, name, lambda node: node == "one") for name in ("one", "two", "three")
    )
    one.open([HOST])
    cas_all = store.cas_all

    def late(store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        monkeypatch.undo()
        assert two.open([HOST]) == {HOST: RobotsReader.THIS_NODE}
        return cas_all(store_map, changes)

    monkeypatch.setattr(store, "cas_all", late)
    assert three.open([HOST]) == {HOST: RobotsReader.ANOTHER}


@pytest.mark.parametrize("is_read", [False, True])
def test_of_two_nodes_that_need_a_file_first_at_once_one_reads(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, is_read: bool
) -> None:
    one, two = (RobotsStore(store, name, lambda node: False) for name in ("one", "two"))
    put = store.put_if_absent_all

    def late(store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        monkeypatch.undo()
        assert one.open([HOST]) == {HOST: RobotsReader.THIS_NODE}
        if is_read:
            one.close({HOST: RULES})
        return put(store_map, records)

    monkeypatch.setattr(store, "put_if_absent_all", late)
    found = two.open([HOST, OTHER])
    assert found == {HOST: RULES if is_read else RobotsReader.ANOTHER, OTHER: RobotsReader.THIS_NODE}


def test_a_node_that_was_taken_for_dead_changes_nothing_any_more(store: SqliteStore) -> None:
    one, two = (RobotsStore(store, name, lambda node: node == "one") for name in ("one", "two"))
    one.open([HOST])
    two.open([HOST])
    one.close({HOST: RobotsAnswer(RobotsKind.KNOWN)})
    assert two.open([HOST]) == {HOST: RobotsReader.THIS_NODE}
    two.close({HOST: RULES})
    assert one.open([HOST]) == {HOST: RULES}


def test_a_resumed_run_knows_what_an_earlier_process_has_read(store: SqliteStore) -> None:
    first = RobotsStore(store, "first", lambda node: True)
    first.open([HOST])
    first.close({HOST: RULES})
    assert RobotsStore(store, "second", lambda node: True).open([HOST]) == {HOST: RULES}
