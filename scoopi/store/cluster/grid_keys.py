"""GridKeys: keys as they are sent, so that a job's key is serialized and hashed once and not at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hazelcast.serialization.data import Data

MOST = 16_384
"""Keys that are kept, more than the jobs that a node holds; then all are forgotten."""


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
    """Any thread may call: what two make at once is the same.

    Args:
        serialized: the client's serialization. It passes on what is serialized already.
    """

    def __init__(self, serialized: Callable[[str], Any]) -> None:
        self._serialized = serialized
        self._keys: dict[str, GridKey] = {}

    def of(self, key: str) -> GridKey:
        """The key, to be given to a map's method in its stead."""
        if (known := self._keys.get(key)) is None:
            if len(self._keys) >= MOST:
                self._keys.clear()
            known = self._keys[key] = GridKey(self._serialized(key).buffer)
        return known
