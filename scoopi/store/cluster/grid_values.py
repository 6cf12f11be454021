"""What the client sends and reads: keys serialized once, and no type that Scoopi did not write."""

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
"""How many keys are kept, more than the jobs that a node holds; once there are more, all are dropped."""


class PickleRefused(StreamSerializer):
    """Refuses pickled values, where the client would read them: reading one would run what it holds."""

    def write(self, out: ObjectDataOutput, obj: object) -> NoReturn:
        """Refuse it."""
        raise TypeError(f"a {type(obj).__name__} may not be sent to the cluster: it would be pickled")

    def read(self, inp: ObjectDataInput) -> NoReturn:
        """Refuse it."""
        raise TypeError("the cluster holds a pickle, which is not read")

    def get_type_id(self) -> int:
        """Hazelcast's number for pickled Python objects."""
        return PICKLE

    def destroy(self) -> None:
        """There is nothing to give back."""


def read_own_types_only(client: Any) -> None:
    """Have the client read text, JSON, bytes and counts, and make a ForeignValue of anything else.

    Members of the open-source edition ask nobody for a password, so that a value may come from anyone who
    reaches their port. The client unpickles values of one type, and builds objects of several others.

    Args:
        client: just connected; maps that it has opened before still read everything.
    Raises:
        ClusterError: the client is built in a way that is not known here; it must not be used.
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
            if data.get_type() in _READ:  # type: ignore[no-untyped-call]
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
    """A serialized key that knows its hash: the client's own goes over its bytes at each call, in Python."""

    __slots__ = ("_hash",)

    def __init__(self, buffer: bytes) -> None:
        super().__init__(buffer)  # type: ignore[no-untyped-call]
        self._hash = int(super().get_partition_hash())  # type: ignore[no-untyped-call]

    def get_partition_hash(self) -> int:
        """The partition that the key belongs to."""
        return self._hash

    def __hash__(self) -> int:
        return self._hash


class GridKeys:
    """Serializes keys for the grid, and remembers them.

    Any thread may call: two that serialize one key at once make the same.

    Args:
        serialized: the client's serialization. It passes on what is serialized already.
    """

    def __init__(self, serialized: Callable[[str], Any]) -> None:
        self._serialized = serialized
        self._keys: dict[str, GridKey] = {}

    def __len__(self) -> int:
        """How many keys are kept serialized."""
        return len(self._keys)

    def of(self, key: str) -> GridKey:
        """The serialized key, which a map's methods accept in place of the key."""
        if (known := self._keys.get(key)) is None:
            if len(self._keys) >= MOST:
                self._keys.clear()
            known = self._keys[key] = GridKey(self._serialized(key).buffer)
        return known
