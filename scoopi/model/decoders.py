"""Decoders: made one at a time, since msgspec ends the process if threads have it look at a type together.

What msgspec finds out about a type is kept at the type, unfinished at first: a second thread that meets the
type meanwhile reads it as if it were complete. All of Scoopi makes its decoders here, under one lock. Values
are decoded without the lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
ReadFloat = Callable[[str], Any]

_LOOKING_AT_TYPES = threading.Lock()


@overload
def json_decoder(kind: type[T], read_float: ReadFloat | None = None) -> msgspec.json.Decoder[T]: ...
@overload
def json_decoder(kind: Any, read_float: ReadFloat | None = None) -> msgspec.json.Decoder[Any]: ...
def json_decoder(kind: Any, read_float: ReadFloat | None = None) -> msgspec.json.Decoder[Any]:
    """A decoder of JSON; `read_float` makes the value of a number with a point from its text."""
    with _LOOKING_AT_TYPES:
        return msgspec.json.Decoder(kind, float_hook=read_float)


@overload
def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]: ...
@overload
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]: ...
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """A decoder of msgpack."""
    with _LOOKING_AT_TYPES:
        return msgspec.msgpack.Decoder(kind)


def converted(value: object, kind: type[T]) -> T:
    """`msgspec.convert`: the value of plain lists, dicts and scalars as a value of the type.

    Raises:
        msgspec.ValidationError: it is not one.
    """
    json_decoder(kind)  # has msgspec look at the type
    return msgspec.convert(value, kind)
