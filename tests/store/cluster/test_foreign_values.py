"""Values that others have put into Scoopi's maps: how they are read, and which error names them."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.errors import RecordError, StoreError
from scoopi.store.cluster.foreign_values import (
    FIRST,
    ForeignValue,
    describe,
    ensure_own,
    is_refused,
    reader_of,
)
from scoopi.store.ports import JOBS, RUN


class JsonValue:
    """As the client gives a JSON value."""

    def __init__(self, text: str) -> None:
        self._text = text

    def to_string(self) -> str:
        return self._text


OWN = JsonValue('{"state_key": "ready"}')
REFUSED = StoreError("scan of jobs: the members refused it")


def test_json_is_read_from_an_indexed_map_and_bytes_from_others() -> None:
    assert reader_of(JOBS)(JsonValue('{"ä": 1}')) == '{"ä": 1}'.encode()
    assert reader_of(RUN)(bytearray(b"\x00record")) == b"\x00record"


@pytest.mark.parametrize(
    ("store_map", "value"), [(JOBS, bytearray(b"{}")), (RUN, JsonValue("{}")), (RUN, "text")]
)
def test_a_value_of_another_form_is_described_in_place_of_a_record(store_map: Any, value: object) -> None:
    assert f"a value of type {type(value).__name__} that begins with".encode() in reader_of(store_map)(value)


def test_a_description_shows_the_beginning_only() -> None:
    assert describe("x" * FIRST + "END") == f"a value of type str that begins with {'x' * FIRST!r}"
    assert describe(ForeignValue(-12, b"\x01")) == "a value of Hazelcast's type -12 that begins with b'\\x01'"


def test_entries_of_scoopis_own_pass() -> None:
    ensure_own(JOBS, [("a", OWN), ("b", OWN)], REFUSED)
    ensure_own(RUN, [("a", bytearray(b"any bytes"))], REFUSED)


@pytest.mark.parametrize(
    ("store_map", "entry", "found"),
    [
        (JOBS, (7, OWN), "the key is a value of type int that begins with '7'"),
        (RUN, (7, bytearray(b"any")), "the key is a value of type int that begins with '7'"),
        (JOBS, ("b", JsonValue("[1]")), "[1]"),
        (JOBS, ("b", JsonValue('{"state_key": 3}')), "state_key"),
        (JOBS, ("b", 1.5), "a value of type float that begins with '1.5'"),
    ],
)
def test_the_first_entry_of_others_is_named(store_map: Any, entry: tuple[object, object], found: str) -> None:
    own = ("a", OWN if store_map is JOBS else bytearray(b"own"))
    with pytest.raises(RecordError) as raised:
        ensure_own(store_map, [own, entry], REFUSED)
    assert found in raised.value.what
    assert str(store_map) in raised.value.what


class QueryError(Exception):
    """Has the name of the client's."""


@pytest.mark.parametrize(
    ("cause", "refused"),
    [
        (QueryError("no such field"), True),
        (ValueError("java.lang.NumberFormatException: For input string"), True),
        (ValueError("no answer"), False),
        (None, False),
    ],
)
def test_a_refused_call_is_known_by_its_cause(cause: Exception | None, refused: bool) -> None:
    error = StoreError("scan of jobs")
    error.__cause__ = cause
    assert is_refused(error) is refused
