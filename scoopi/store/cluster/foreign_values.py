"""Values of the grid as records: Scoopi's own, and those of others, which members may refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from scoopi.errors import StoreError
from scoopi.store.ports import StoreMap
from scoopi.store.record_codec import FOREIGN, RecordCodec, indexed_kind, unreadable

FIRST = 40
"""How many bytes of a foreign value are shown."""
_REFUSALS = (
    "ClassCastError",
    "HazelcastSerializationError",
    "IllegalArgumentError",
    "IllegalStateError",
    "QueryError",
)
_NOT_COMPARED = "java.lang.NumberFormatException"
"""Members compare a key that is a number with ours; unless ours reads as a number, this comes of it, and the
client knows it by its text only."""


class ForeignValue(NamedTuple):
    """A key or value of another type; it stays serialized.

    Attributes:
        type_id: as Hazelcast numbers types.
        first: its first bytes.
    """

    type_id: int
    first: bytes


def describe(value: object) -> str:
    """The type of a value that Scoopi does not write, in words."""
    if isinstance(value, ForeignValue):
        return f"a value of Hazelcast's type {value.type_id} that begins with {value.first!r}"
    return f"a value of type {type(value).__name__} that begins with {str(value)[:FIRST]!r}"


def is_refused(error: StoreError) -> bool:
    """Whether the members refused a call for what a map holds: they cannot compare, index or read it."""
    cause = error.__cause__
    return type(cause).__name__ in _REFUSALS or _NOT_COMPARED in str(cause)


def reader_of(store_map: StoreMap) -> Callable[[object], bytes]:
    """Reads a value of that map as the bytes of a record; one of others as bytes that no codec accepts."""
    return _json_bytes if store_map.index else _plain_bytes


def ensure_own(store_map: StoreMap, entries: Iterable[tuple[object, object]], refused: StoreError) -> None:
    """Find the foreign entry of a map for which the members refused a call.

    Raises:
        RecordError: of the first one that Scoopi did not write.
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
