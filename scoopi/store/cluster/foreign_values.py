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
"""What members report when they compare one of Scoopi's keys with a key that is a number; the client only has
it as text."""


class ForeignValue(NamedTuple):
    """A key or value of a type that Scoopi does not use; it is not deserialized.

    Attributes:
        type_id: Hazelcast's number of its type.
        first: its first bytes.
    """

    type_id: int
    first: bytes


def describe(value: object) -> str:
    """Describe a key or value that Scoopi did not write: its type and first bytes."""
    if isinstance(value, ForeignValue):
        return f"a value of Hazelcast's type {value.type_id} that begins with {value.first!r}"
    return f"a value of type {type(value).__name__} that begins with {str(value)[:FIRST]!r}"


def is_refused(error: StoreError) -> bool:
    """Whether members rejected a call because the map has an entry that they cannot compare or index."""
    cause = error.__cause__
    return type(cause).__name__ in _REFUSALS or _NOT_COMPARED in str(cause)


def reader_of(store_map: StoreMap) -> Callable[[object], bytes]:
    """Return a function that reads the map's values as records; foreign ones as bytes no codec accepts."""
    return _json_bytes if store_map.index else _plain_bytes


def ensure_own(store_map: StoreMap, entries: Iterable[tuple[object, object]], refused: StoreError) -> None:
    """Check that all entries of a map, as (key, value), were written by Scoopi.

    Args:
        refused: the error of the call that the members rejected; the cause of the one raised here.
    Raises:
        RecordError: an entry was not; the error names the first one.
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
