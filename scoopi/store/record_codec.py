"""RecordCodec: encodes and decodes all records of the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from scoopi.errors import RecordError, UnstorableError
from scoopi.model.decoders import json_decoder, msgpack_decoder
from scoopi.store.ports import StoreMap

FOREIGN = b"\xff"
"""First byte of a stand-in for a value of a type that Scoopi does not write; a description follows. Neither
JSON nor a msgpack structure begins with this byte."""
_FIRST = 60
_LONGEST_WHY = 200
_HINT = "remove this record with a Hazelcast client, or remove the run with `scoopi forget`"
_STORABLE = "texts must be valid UTF-8, and lists and objects nested less than 900 deep"
Decoded = TypeVar("Decoded")


class RecordCodec(Generic[Decoded]):
    """Encodes and decodes the records of one kind in one map, as JSON or msgpack.

    The JSON is canonical: equal records are equal bytes.

    Args:
        kind: type of the records.
        packed: whether to use msgpack.
        hint: of the error about a record that cannot be decoded; the default is for records of a run.

    Attributes:
        encode: encodes a record; it is the encoder's own method for speed, as each page has four records.
    """

    def __init__(
        self, store_map: StoreMap, kind: type[Decoded], *, packed: bool = False, hint: str = _HINT
    ) -> None:
        form = msgspec.msgpack if packed else msgspec.json
        self._name, self._hint = store_map, hint
        self.encode: Callable[[Decoded], bytes] = form.Encoder(order=None if packed else "sorted").encode
        decoder = msgpack_decoder if packed else json_decoder
        self._decode: Callable[[bytes], Decoded] = decoder(kind).decode

    def encode_checked(self, record: Decoded) -> bytes:
        """Encode a record with values from users or programs, which may not be storable.

        Raises:
            UnstorableError: a text is not valid Unicode, or a value is nested too deeply, too large, or not
                one of JSON.
        """
        try:
            return self.encode(record)
        except (ValueError, OverflowError, RecursionError, TypeError) as fault:
            raise UnstorableError(f"a value cannot be stored: {fault}", hint=_STORABLE) from fault

    def read(self, key: str, record: bytes) -> Decoded:
        """Decode a record.

        Args:
            key: key of the record, for the error.
        Raises:
            RecordError: the bytes are not a record of this kind.
        """
        try:
            return self._decode(record)
        except (msgspec.MsgspecError, ValueError, RecursionError) as fault:
            raise unreadable(self._name, key, record, str(fault), self._hint) from fault


def indexed_kind(store_map: StoreMap, default: object = msgspec.NODEFAULT) -> Any:
    """A struct type for decoding only the indexed field of a map's records, as `index_value`.

    Args:
        default: the value for records without the field; without a default these are invalid.
    """
    field = ("index_value", str, default)
    return msgspec.defstruct("Indexed", [field], rename={"index_value": store_map.index or ""})


def unreadable(store_map: StoreMap, key: str, record: bytes, why: str = "", hint: str = _HINT) -> RecordError:
    """The error for a record that cannot be decoded; it names the map, the key and the first bytes.

    Args:
        record: its bytes; after FOREIGN, a description.
        why: the decoder's message.
    """
    is_foreign = record.startswith(FOREIGN)
    found = (
        record[1:].decode(errors="replace") if is_foreign else f"{record[:_FIRST]!r} ({why[:_LONGEST_WHY]})"
    )
    return RecordError(
        f"the map {store_map} has a record that Scoopi did not write: {found}",
        at=f"{store_map}[{key[:_FIRST]!r}]",
        hint=hint,
        cause="the store has a record that Scoopi did not write",
    )
