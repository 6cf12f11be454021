"""RunName: nodes of the same definitions agree on one run, which is never the one that is over."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from scoopi.errors import UsageError
from scoopi.model.scrape.definitions import Definitions
from scoopi.runs.cluster.run_name import RunName, definitions_digest, unfinished_run, valid_name
from scoopi.runs.composed import Composed
from scoopi.runs.folders.run_state import HIDDEN, NodeFile
from scoopi.store.ports import RUN
from scoopi.store.settling_store import SettlingStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BOOKS = Composed(Definitions({}, {}, {}, "d1"), (), {}, NOW, "/", "/home/ann/books", {}, {}, "r1")


@pytest.fixture
def name_of(store: SettlingStore) -> Callable[..., str]:
    """The name that a node decides for, given the runs that are over."""

    def decided(
        node: str = "n1", composed: Composed = BOOKS, given: str | None = None, over: str = ""
    ) -> str:
        return RunName(store, lambda run: run == over, node).decide(composed, given)

    return decided


@pytest.mark.parametrize("name", ["books", "2026-01-01", "a.b_c-d", "x" * 64])
def test_a_name_that_can_be_a_folder_is_valid(name: str) -> None:
    assert valid_name(name) == name


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "x y", ".hidden", "a\n", "ü"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="invalid run name"):
        valid_name(name)


def test_nodes_of_the_same_definitions_join_one_run(name_of: Callable[..., str]) -> None:
    first = name_of("n1")
    assert first.startswith("books-")
    assert {name_of(node) for node in ("n1", "n2", "n3")} == {first}


def test_other_definitions_are_another_run(name_of: Callable[..., str]) -> None:
    others = [
        replace(BOOKS, definitions=replace(BOOKS.definitions, digest="d2")),
        replace(BOOKS, given={"scoopi.loader.fetch.delay": "2s"}),
        replace(BOOKS, plugin_digests={"/home/ann/books/own.py": "p1"}),
    ]
    assert len({name_of(composed=each) for each in (BOOKS, *others)}) == 4
    assert len({definitions_digest(each) for each in (BOOKS, *others)}) == 4


def test_the_same_definitions_in_another_folder_have_the_same_digest() -> None:
    moved = replace(BOOKS, defs_source="/srv/books", current_folder="/srv", run_date=NOW.replace(year=2027))
    assert definitions_digest(moved) == definitions_digest(BOOKS)


@pytest.mark.parametrize(
    ("source", "begin"),
    [
        ("/a/books.yml", "books-"),
        ("/a/my books (2)", "my-books-2-"),
        ("/", "run-"),
        ("/a/" + "x" * 90, "x" * 40 + "-"),
    ],
)
def test_a_run_is_called_by_the_folder_of_its_definitions(
    name_of: Callable[..., str], source: str, begin: str
) -> None:
    assert name_of(composed=replace(BOOKS, defs_source=source)).startswith(begin)


def test_a_given_name_is_taken_and_changes_nothing_for_others(name_of: Callable[..., str]) -> None:
    assert name_of(given="monday") == "monday"
    assert name_of() != "monday"


def test_no_node_joins_a_run_that_is_over(name_of: Callable[..., str]) -> None:
    first = name_of()
    second = name_of("n2", over=first)
    assert second != first
    assert name_of("n3") == second


def test_a_run_that_is_passed_over_is_not_joined_though_the_cluster_has_forgotten_it(
    store: SettlingStore, name_of: Callable[..., str]
) -> None:
    first = name_of()
    names = RunName(store, lambda run: False, "n1")
    names.pass_over(BOOKS, "another")
    assert name_of("n2") == first
    names.pass_over(BOOKS, first)
    second = name_of("n2")
    assert second != first
    names.pass_over(BOOKS, first)
    assert name_of("n3") == second, "a node that comes late leaves the new run alone"


def test_a_removed_run_is_found_by_its_name_alone_and_no_other_record_is_touched(
    store: SettlingStore, name_of: Callable[..., str]
) -> None:
    other = name_of(composed=replace(BOOKS, defs_source="/z"))
    first = name_of()
    store.put_if_absent_all(RUN, [("current/broken", b"no record"), ("zzz", b"of something else")])
    RunName(store, lambda run: False, "n1").forget(first)
    assert name_of() != first
    assert name_of(composed=replace(BOOKS, defs_source="/z")) == other
    assert store.get_all(RUN, ["current/broken", "zzz"]) == {
        "current/broken": b"no record",
        "zzz": b"of something else",
    }


def leave_state(output: Path, run: str, node: str, at_s: int, **fields: Any) -> None:
    """A node's state in the folder of a run, as old as that."""
    folder = output / run / HIDDEN / node
    folder.mkdir(parents=True)
    state: dict[str, Any] = {"run": "r1", "owner": socket.gethostname(), "cluster": True} | fields
    (folder / "node.json").write_bytes(msgspec.json.encode(NodeFile(**state)))
    os.utime(folder / "node.json", (at_s, at_s))


def test_the_newest_unfinished_run_of_these_definitions_is_continued(tmp_path: Path) -> None:
    base = f"books-{definitions_digest(BOOKS)[:8]}"
    leave_state(tmp_path, f"{base}-1111", "ann", at_s=1000)
    leave_state(tmp_path, f"{base}-2222", "ann", at_s=2000)
    leave_state(tmp_path, f"{base}-3333", "ann", at_s=3000, over=True)
    leave_state(tmp_path, f"{base}-4444", "ann", at_s=4000, cluster=False)
    leave_state(tmp_path, "pens-00000000-5555", "ann", at_s=5000)
    leave_state(tmp_path, f"{base}-6666", "bob", at_s=1500, owner="another machine")
    (tmp_path / f"{base}-7777" / HIDDEN / "ann").mkdir(parents=True)
    (tmp_path / f"{base}-7777" / HIDDEN / "ann" / "node.json").write_text("{torn")
    assert unfinished_run(BOOKS, tmp_path, "ann") == f"{base}-2222"
    assert unfinished_run(BOOKS, tmp_path, "") == f"{base}-2222", "a node of this machine"
    assert unfinished_run(BOOKS, tmp_path, "bob") == f"{base}-6666", "its id was given, wherever it ran"
    assert unfinished_run(BOOKS, tmp_path, "ann", {f"{base}-2222"}) == f"{base}-1111"
    assert unfinished_run(BOOKS, tmp_path, "eve") is None


def test_a_run_that_is_removed_while_it_is_looked_at_is_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = f"books-{definitions_digest(BOOKS)[:8]}"
    leave_state(tmp_path, f"{base}-1111", "ann", at_s=1000)
    leave_state(tmp_path, f"{base}-2222", "ann", at_s=2000)
    read_bytes = Path.read_bytes

    def read_and_remove(file: Path) -> bytes:
        content = read_bytes(file)
        if file.parents[2].name == f"{base}-2222":
            file.unlink()
        return content

    monkeypatch.setattr(Path, "read_bytes", read_and_remove)
    assert unfinished_run(BOOKS, tmp_path, "ann") == f"{base}-1111"
