"""ForeignValue: a value of the grid that Scoopi did not write, and how members refuse it."""

from __future__ import annotations

from typing import NamedTuple

from scoopi.errors import StoreError

FIRST = 40
"""Bytes of it that are shown."""
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
    """What was found in place of text, JSON or bytes."""
    if isinstance(value, ForeignValue):
        return f"a value of Hazelcast's type {value.type_id} that begins with {value.first!r}"
    return f"a value of type {type(value).__name__} that begins with {str(value)[:FIRST]!r}"


def is_refused(error: StoreError) -> bool:
    """Whether the members refused a call for what a map holds: they cannot compare, index or read it."""
    cause = error.__cause__
    return type(cause).__name__ in _REFUSALS or _NOT_COMPARED in str(cause)
