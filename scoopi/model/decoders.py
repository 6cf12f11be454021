"""Decoders of JSON and msgpack, made one at a time: msgspec crashes if two threads analyse a type at once.

msgspec caches what it learns of a type on the type itself, and publishes it before it is complete, so that a
second thread may read an unfinished entry. All of Scoopi therefore makes its decoders here, under one lock.
Decoding itself needs no lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")
ReadFloat = Callable[[str], Any]

_ANALYSING = threading.Lock()


@overload
def json_decoder(kind: type[T], read_float: ReadFloat | None = None) -> msgspec.json.Decoder[T]: ...
@overload
def json_decoder(kind: Any, read_float: ReadFloat | None = None) -> msgspec.json.Decoder[Any]: ...
def json_decoder(kind: Any, read_float: ReadFloat | None = None) -> msgspec.json.Decoder[Any]:
    """Return a JSON decoder of values of type `kind`; `read_float` converts the text of a decimal number."""
    with _ANALYSING:
        return msgspec.json.Decoder(kind, float_hook=read_float)


@overload
def msgpack_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]: ...
@overload
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]: ...
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return a msgpack decoder of values of type `kind`."""
    with _ANALYSING:
        return msgspec.msgpack.Decoder(kind)


def converted(value: object, kind: type[T]) -> T:
    """Convert plain lists, dicts and scalars to a value of type `kind`, as `msgspec.convert` does.

    Raises:
        msgspec.ValidationError: they do not fit the type.
    """
    json_decoder(kind)  # so that the type is analysed under the lock
    return msgspec.convert(value, kind)
