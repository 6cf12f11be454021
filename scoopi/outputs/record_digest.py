"""RecordDigest: a digest of some columns of a record, for comparing records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from hashlib import blake2b
from typing import Any

import msgspec

from scoopi.model.records import Column
from scoopi.outputs.typed_values import typed_reader

DIGEST_BYTES = 16


class RecordDigest:
    """Computes a digest of some columns of a record; values that are equal in a database have equal digests.

    Args:
        columns: all columns of the record, in order.
        names: names of the columns to include.
    """

    def __init__(self, columns: Sequence[Column], names: Iterable[str]) -> None:
        places = {column.name: place for place, column in enumerate(columns)}
        self._places = [(places[name], typed_reader(columns[places[name]])) for name in names]
        self._encode = msgspec.msgpack.Encoder(order="sorted").encode

    def of(self, record: Sequence[Any]) -> bytes:
        """Return a digest of 16 bytes; missing values are equal to each other."""
        return self._digest(self._values(record))

    def of_key(self, record: Sequence[Any]) -> bytes | None:
        """Return a digest of 16 bytes; None if a value is missing, as such a record has no duplicates."""
        values = self._values(record)
        return None if None in values else self._digest(values)

    def _values(self, record: Sequence[Any]) -> list[Any]:
        return [
            record[place] if convert is None else _same(convert(record[place]))
            for place, convert in self._places
        ]

    def _digest(self, values: list[Any]) -> bytes:
        return blake2b(self._encode(values), digest_size=DIGEST_BYTES).digest()


def _same(value: Any) -> Any:
    """The canonical form of values that are equal in a database."""
    if isinstance(value, list):
        return [_same(each) for each in value]
    if isinstance(value, Decimal):
        return str(value.normalize())
    return value.astimezone(UTC) if isinstance(value, datetime) else value
