"""Reads values of the grid as records, and detects those that other software has written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from scoopi.errors import StoreError
from scoopi.store.ports import StoreMap
from scoopi.store.record_codec import FOREIGN, RecordCodec, indexed_kind, unreadable

FIRST = 40
"""Number of bytes of a foreign value that are shown."""
_REFUSALS = (
    "ClassCastError",
    "HazelcastSerializationError",
    "IllegalArgumentError",
    "IllegalStateError",
    "QueryError",
)
_NOT_COMPARED = "java.lang.NumberFormatException"
"""What members report when they compare a key of ours with one that is a number, and ours cannot be parsed as
one; the client only has it as text."""


class ForeignValue(NamedTuple):
    """A key or value of a type that Scoopi does not use; it is not deserialized.

    Attributes:
        type_id: Hazelcast's number of its type.
        first: its first bytes.
    """

    type_id: int
    first: bytes


def describe(value: object) -> str:
    """A description of a value that Scoopi did not write."""
    if isinstance(value, ForeignValue):
        return f"a value of Hazelcast's type {value.type_id} that begins with {value.first!r}"
    return f"a value of type {type(value).__name__} that begins with {str(value)[:FIRST]!r}"


def is_refused(error: StoreError) -> bool:
    """Whether the members rejected a call because they cannot compare, index or read what the map has."""
    cause = error.__cause__
    return type(cause).__name__ in _REFUSALS or _NOT_COMPARED in str(cause)


def reader_of(store_map: StoreMap) -> Callable[[object], bytes]:
    """A function that reads values of the map as records; foreign ones as bytes that every codec rejects."""
    return _json_bytes if store_map.index else _plain_bytes


def ensure_own(store_map: StoreMap, entries: Iterable[tuple[object, object]], refused: StoreError) -> None:
    """Find the foreign entry because of which the members rejected a call.

    Raises:
        RecordError: names the first entry that Scoopi did not write; none is raised if there is none.
    """
    read = reader_of(store_map)
    for key, value in entries:
        if not isinstance(key, str):
            raise unreadable(store_map, "", FOREIGN + b"the key is " + describe(key).encode()) from refused
        if store_map.index:
            RecordCodec(store_map, indexed_kind(store_map)).read(key, read(value))


def _json_bytes(value: object) -> bytes:
    text = getattr(value, "to_string", None)
    return str(text()).encode() if text else FOREIGN + describe(value).encode()


def _plain_bytes(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytearray) else FOREIGN + describe(value).encode()
