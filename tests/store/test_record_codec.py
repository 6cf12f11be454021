"""RecordCodec: equal records are equal bytes, and what Scoopi did not write is named."""

from __future__ import annotations

import msgspec
import pytest

from scoopi.errors import RecordError, UnstorableError
from scoopi.store.ports import StoreMap
from scoopi.store.record_codec import FOREIGN, RecordCodec, indexed_kind, unreadable

SOME = StoreMap("some", index="state")


class Kept(msgspec.Struct):
    numbers: dict[str, int]


@pytest.mark.parametrize("packed", [False, True])
def test_a_record_is_read_as_it_was_written(packed: bool) -> None:
    codec = RecordCodec(SOME, Kept, packed=packed)
    assert codec.read("k", codec.encode(Kept({"b": 1, "a": 2}))) == Kept({"a": 2, "b": 1})


def test_json_does_not_depend_on_the_order_of_keys() -> None:
    codec = RecordCodec(SOME, Kept)
    assert codec.encode(Kept({"b": 1, "a": 2})) == codec.encode(Kept({"a": 2, "b": 1}))


@pytest.mark.parametrize("record", [b"", b"{", b'{"numbers": {"a": "x"}}', b"\xff", b"[" * 10_000])
def test_what_cannot_be_read_is_named_with_map_key_and_first_bytes(record: bytes) -> None:
    with pytest.raises(RecordError, match="the map some has a record that Scoopi did not write") as raised:
        RecordCodec(SOME, Kept).read("the key", record)
    assert raised.value.at == "some['the key']"
    assert len(str(raised.value)) < 1000


def test_the_indexed_field_of_a_map_is_read_by_its_name() -> None:
    kind = indexed_kind(SOME)
    assert msgspec.json.decode(b'{"state": "R", "other": 1}', type=kind).index_value == "R"
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b"{}", type=kind)
    assert msgspec.json.decode(b"{}", type=indexed_kind(SOME, None)).index_value is None


def test_an_unreadable_record_is_shown_by_its_beginning_and_the_reason() -> None:
    error = unreadable(SOME, "k" * 1000, b"x" * 1000, "y" * 1000)
    shown, why = "x" * 60, "y" * 200
    assert error.what == f"the map some has a record that Scoopi did not write: b'{shown}' ({why})"
    assert error.at == f"some[{'k' * 60!r}]"


def test_a_value_that_cannot_be_stored_is_refused_with_the_reason() -> None:
    codec = RecordCodec(SOME, dict)
    assert codec.encode_checked({"a": "é", "n": 10**30}) == codec.encode({"a": "é", "n": 10**30})
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    for value in ("\ud800", deep):
        with pytest.raises(UnstorableError, match="a value cannot be stored"):
            codec.encode_checked({"a": value})


def test_a_value_of_a_type_that_scoopi_does_not_write_is_shown_by_its_description() -> None:
    error = unreadable(SOME, "k", FOREIGN + b"a value of the type java.util.Date", "not JSON")
    assert error.what.endswith("has a record that Scoopi did not write: a value of the type java.util.Date")
    assert not RecordCodec(SOME, Kept).encode(Kept({})).startswith(FOREIGN)
