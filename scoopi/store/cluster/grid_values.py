"""Serialization for the Hazelcast client: cached keys, and no types other than Scoopi's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from hazelcast.serialization.api import ObjectDataInput, ObjectDataOutput, StreamSerializer
from hazelcast.serialization.data import DATA_OFFSET, Data

from scoopi.errors import ClusterError
from scoopi.store.cluster.foreign_values import FIRST, ForeignValue

PICKLE = -120
_NULL, _COUNT, _TEXT, _BYTES, _JSON = 0, -8, -11, -12, -130
_READ = frozenset((_NULL, _COUNT, _TEXT, _BYTES, _JSON))
MOST = 16_384
"""Most keys in the cache, more than a node has jobs; a full cache is emptied."""


class PickleRefused(StreamSerializer):
    """Refuses pickled values, since reading one would run code that it contains."""

    def write(self, out: ObjectDataOutput, obj: object) -> NoReturn:
        """Raise TypeError."""
        raise TypeError(f"a {type(obj).__name__} may not be sent to the cluster: it would be pickled")

    def read(self, inp: ObjectDataInput) -> NoReturn:
        """Raise TypeError."""
        raise TypeError("the cluster has a pickled value, which is not read")

    def get_type_id(self) -> int:
        """Hazelcast's number for pickled Python objects."""
        return PICKLE

    def destroy(self) -> None:
        """Nothing to release."""


def read_own_types_only(client: Any) -> None:
    """Make the client read only text, JSON, bytes and counts, and return a ForeignValue for anything else.

    Members of the open-source edition have no authentication, so anyone who reaches their port may write
    values. The client unpickles values of one type, and constructs objects of several others.

    Args:
        client: newly connected; maps that were opened before this call still read everything.
    Raises:
        ClusterError: the client's implementation is not the expected one; it must not be used.
    """
    try:
        service = client._serialization_service
        registry, read = service._registry, service.to_object
        registry._id_dict[PICKLE], registry._python_serializer
    except (AttributeError, KeyError, TypeError) as fault:
        raise ClusterError(
            f"this version of the Hazelcast client cannot be kept from reading pickles ({fault!r})",
            hint="install the version that Scoopi asks for: pip install 'scoopi[cluster]'",
        ) from fault

    def to_object(data: Any) -> Any:
        if not isinstance(data, Data):
            return data
        try:
            if data.get_type() in _READ:  # type: ignore[no-untyped-call]  # the client has no types
                return read(data)
        except Exception:  # noqa: S110 - text that is not UTF-8, a length beyond the end, and the like
            pass
        return _foreign(data)

    registry._id_dict[PICKLE] = registry._python_serializer = service._python_serializer = PickleRefused()
    service.to_object = to_object


def _foreign(data: Data) -> ForeignValue:
    buffer = bytes(data.buffer)
    return ForeignValue(int.from_bytes(buffer[4:DATA_OFFSET], signed=True), buffer[DATA_OFFSET:][:FIRST])


class GridKey(Data):
    """A serialized key with a cached hash; the client's own computes it in Python at each call."""

    __slots__ = ("_hash",)

    def __init__(self, buffer: bytes) -> None:
        super().__init__(buffer)  # type: ignore[no-untyped-call]
        self._hash = int(super().get_partition_hash())  # type: ignore[no-untyped-call]

    def get_partition_hash(self) -> int:
        """The hash that determines the partition of the key."""
        return self._hash

    def __hash__(self) -> int:
        return self._hash


class GridKeys:
    """Serializes keys for the grid, and caches them. Thread-safe.

    Args:
        serialized: the client's serialization, which leaves serialized data unchanged.
    """

    def __init__(self, serialized: Callable[[str], Any]) -> None:
        self._serialized = serialized
        self._keys: dict[str, GridKey] = {}

    def __len__(self) -> int:
        """The number of cached keys."""
        return len(self._keys)

    def of(self, key: str) -> GridKey:
        """The serialized key, which a map's methods accept in place of the key."""
        if (known := self._keys.get(key)) is None:
            if len(self._keys) >= MOST:
                self._keys.clear()
            known = self._keys[key] = GridKey(self._serialized(key).buffer)
        return known
