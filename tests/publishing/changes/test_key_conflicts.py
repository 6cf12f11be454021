"""Of records with one key and different values the same one counts, whatever their order."""

from __future__ import annotations

from itertools import permutations

import pytest

from scoopi.model.records import Column, ColumnType, RecordSchema
from scoopi.publishing.changes.key_conflicts import KeyConflicts

STREAM = "records:list.books"
SCHEMA = RecordSchema(
    "book",
    (Column("title", ColumnType.TEXT), Column("price", ColumnType.TEXT), Column("shelf", ColumnType.TEXT)),
    key=("title",),
    meta=(Column("url", ColumnType.TEXT),),
)


def settled(digests: tuple[bytes, ...], base: bytes | None) -> set[bytes]:
    """The digests that count once each has been compared with the first one that was read."""
    conflicts = KeyConflicts()
    first, *others = digests
    for other in others:
        if other != first:
            conflicts.add(STREAM, b"k", (first, other), base)
    assert conflicts.take_new()
    assert not conflicts.take_new()
    return {digest for digest in digests if not conflicts.is_out(STREAM, b"k", digest)}


@pytest.mark.parametrize(
    ("base", "counts"), [(None, b"1"), (b"2", b"2"), (b"3", b"3"), (b"9", b"1")], ids=repr
)
def test_the_order_decides_nothing(base: bytes | None, counts: bytes) -> None:
    for digests in permutations([b"1", b"2", b"3", b"2"]):
        assert settled(digests, base) == {counts}


def test_a_key_without_conflict_and_that_of_another_stream_count() -> None:
    conflicts = KeyConflicts()
    conflicts.add(STREAM, b"k", (b"1", b"2"), None)
    assert not conflicts.is_out(STREAM, b"other", b"2")
    assert not conflicts.is_out("records:list.shops", b"k", b"2")
    assert conflicts.is_out(STREAM, b"k", b"2")


def test_the_warning_counts_keys_and_names_an_example_and_what_differs() -> None:
    found = []
    for keys in permutations([b"b", b"a"]):
        conflicts = KeyConflicts()
        for key in keys:
            conflicts.add(STREAM, key, (b"1", b"2"), None)
            conflicts.add(STREAM, key, (b"1", b"3"), None)
            name = key.decode() * 70
            conflicts.describe(SCHEMA, STREAM, key, (["/1", name, "4", None], ["/2", name, "5", None]))
            conflicts.describe(SCHEMA, STREAM, key, (["/1", name, "4", None], ["/2", name, "4", "x"]))
        found.append(conflicts.causes())
    assert found[0] == found[1]
    ((cause,),) = {*found}
    assert (cause.cause, cause.count) == ("list.books: records with one key have different values", 2)
    assert cause.example.message.startswith(
        f"title {'a' * 60}…: different values of price, shelf; one record"
    )
    assert KeyConflicts().causes() == ()
