"""SettlingStore: finds out the outcome of a rejected or failed write, by reading the record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Protocol, TypeVar

from scoopi.errors import BusyRecordError, StoreError
from scoopi.store.ports import Change, Outcome, Store, StoreMap


class _Write(Protocol):
    """A write of one record."""

    @property
    def key(self) -> str: ...

    @property
    def expected(self) -> bytes | None: ...

    @property
    def new(self) -> bytes: ...


class _Put:
    """A put, as a change of a record that does not exist."""

    __slots__ = ("key", "new")
    expected = None

    def __init__(self, key: str, new: bytes) -> None:
        self.key = key
        self.new = new


Write = TypeVar("Write", bound=_Write)
AnswerType = TypeVar("AnswerType")
_IS_WON = attrgetter("won")
_TRIES = 5


class SettlingStore:
    """Wraps a store, and makes the outcomes of its conditional writes certain.

    The outcome of a rejected or failed write is unknown until the record is read: if it has the new value,
    the write is WON; if it has the expected one, the write is retried; anything else means LOST. This is
    unambiguous, because every value that a node writes is unique. Idempotent writes are retried, too;
    `move_all` and reads are passed through.

    Args:
        inner: the wrapped backend; its writes may fail after they were made, be made partly, or twice.
        tries: how often a write is tried while it has no effect. Then the last StoreError of the backend is
            raised, or a BusyRecordError if every try was rejected without an error.
    Source: ARCHITECTURE, protocol rule 1.
    """

    def __init__(self, inner: Store, tries: int = _TRIES) -> None:
        self._inner = inner
        self._tries = tries

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        """See `Store`."""
        return self._inner.get_all(store_map, keys)

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        """See `Store`."""
        puts = [_Put(key, value) for key, value in records]
        return self._settle(store_map, puts, self._put)

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        """See `Store`."""
        return self._settle(store_map, changes, self._inner.cas_all)

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        """See `Store`."""
        self._again(lambda: self._inner.delete_all(store_map, keys))

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        """See `Store`."""
        return self._again(lambda: self._inner.delete_same_all(store_map, records))

    def move_all(self, source: StoreMap, target: StoreMap, changes: Sequence[Change]) -> bool:
        """See `Store`."""
        return self._inner.move_all(source, target, changes)

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        """See `Store`."""
        self._again(lambda: self._inner.delete_below(store_map, key))

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        """See `Store`."""
        self._again(lambda: self._inner.set_ttl_all(store_map, keys, seconds))

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        """See `Store`."""
        return self._inner.scan(store_map, index_value, limit, after)

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        """See `Store`."""
        return self._inner.scan_each(store_map, index_values, limit, after)

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        """See `Store`."""
        return self._inner.count(store_map, index_value)

    def close(self) -> None:
        """Close the wrapped store."""
        self._inner.close()

    def _again(self, write: Callable[[], AnswerType]) -> AnswerType:
        """Retry an idempotent write."""
        for _ in range(self._tries - 1):
            with suppress(StoreError):
                return write()
        return write()

    def _put(self, store_map: StoreMap, puts: Sequence[_Put]) -> list[Outcome]:
        return self._inner.put_if_absent_all(store_map, [(put.key, put.new) for put in puts])

    def _settle(
        self,
        store_map: StoreMap,
        writes: Sequence[Write],
        send: Callable[[StoreMap, Sequence[Write]], list[Outcome]],
    ) -> list[Outcome]:
        if not writes:
            return []
        outcomes: dict[int, Outcome] = {}
        unsettled = list(range(len(writes)))
        fault: StoreError | None = None
        for _ in range(self._tries):
            batch = [writes[place] for place in unsettled]
            try:
                answers = send(store_map, batch)
            except StoreError as error:
                fault = error
                answers = self._as_they_are(store_map, batch)
            if len(batch) == len(writes) and all(map(_IS_WON, answers)):  # nearly always
                return [Outcome(True, write.new) for write in writes]
            outcomes.update(zip(unsettled, map(_judged, batch, answers), strict=True))
            unsettled = [place for place in unsettled if _left_no_trace(writes[place], outcomes[place])]
            if not unsettled:
                return [outcomes[place] for place in range(len(writes))]
        raise fault or BusyRecordError(
            f"{len(unsettled)} writes to {store_map} were rejected; the records are unchanged",
            hint="try again",
        )

    def _as_they_are(self, store_map: StoreMap, batch: Sequence[_Write]) -> list[Outcome]:
        records = self._inner.get_all(store_map, [write.key for write in batch])
        return [Outcome(False, records.get(write.key)) for write in batch]


def _judged(write: _Write, answer: Outcome) -> Outcome:
    return Outcome(True, write.new) if answer.won or answer.current == write.new else answer


def _left_no_trace(write: _Write, outcome: Outcome) -> bool:
    return not outcome.won and outcome.current == write.expected
