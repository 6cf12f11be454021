"""FaultyStore: a store that loses answers, delivers twice, fails halfway and dies, as its plan says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from scoopi.errors import StoreError
from scoopi.store.ports import Change, Outcome, Store, StoreMap

Write = TypeVar("Write")


class NodeDied(BaseException):
    """The process is gone: nothing of it may go on (not an Exception, so that nothing catches it)."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong.

    Attributes:
        lose_first_answers: every write is made, and its first answer is lost.
        deliver_twice: every write is made twice, and the second answer comes back.
        lost_answers: share of the batches whose answer is lost after all were made.
        torn: share of the batches of which only some writes are made, and no answer comes.
        unreadable: share of the readings that fail.
        overlooked: share of the records that a scan does not find, as while members move their data.
        moves: whether a batch of moves is made, as one write; the wrapped store must be able to.
        dies_after: number of single writes that are made; instead of the next one the node dies.
    """

    lose_first_answers: bool = False
    deliver_twice: bool = False
    lost_answers: float = 0.0
    torn: float = 0.0
    unreadable: float = 0.0
    overlooked: float = 0.0
    moves: bool = False
    dies_after: int | None = None


class FaultyStore:
    """Wraps any Store; writes reach it one by one, and a refusal comes back as it is: not settled.

    Attributes:
        faults: what goes wrong from now on.
    """

    def __init__(self, inner: Store, faults: Faults, seed: int = 0) -> None:
        self._inner = inner
        self.faults = faults
        self._random = Random(seed)
        self._answered: set[tuple[object, ...]] = set()
        self.writes = 0
        self.lost = 0

    def get_all(self, store_map: StoreMap, keys: Sequence[str]) -> dict[str, bytes]:
        self._read()
        return self._inner.get_all(store_map, keys)

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        def put(record: tuple[str, bytes]) -> Outcome:
            standing = self._inner.get_all(store_map, [record[0]]).get(record[0])
            if standing is not None:
                return Outcome(False, standing)
            return self._inner.put_if_absent_all(store_map, [record])[0]

        return self._write(("put", store_map), records, put)

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        def cas(change: Change) -> Outcome:
            standing = self._inner.get_all(store_map, [change.key]).get(change.key)
            if standing != change.expected:
                return Outcome(False, standing)
            return self._inner.cas_all(store_map, [change])[0]

        return self._write(("cas", store_map), changes, cas)

    def delete_all(self, store_map: StoreMap, keys: Sequence[str]) -> None:
        def delete(key: str) -> Outcome:
            self._inner.delete_all(store_map, [key])
            return Outcome(True, None)

        self._write(("delete", store_map), keys, delete)

    def delete_same_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[bool]:
        def delete(record: tuple[str, bytes]) -> Outcome:
            return Outcome(self._inner.delete_same_all(store_map, [record])[0], None)

        return [outcome.won for outcome in self._write(("delete same", store_map), records, delete)]

    def move_all(self, source: StoreMap, target: StoreMap, changes: Sequence[Change]) -> bool:
        if not self.faults.moves:
            return False

        def move(batch: tuple[Change, ...]) -> Outcome:
            return Outcome(self._inner.move_all(source, target, batch), None)

        return all(outcome.won for outcome in self._write(("move", source), [tuple(changes)], move))

    def delete_below(self, store_map: StoreMap, key: str) -> None:
        def delete(below: str) -> Outcome:
            self._inner.delete_below(store_map, below)
            return Outcome(True, None)

        self._write(("delete below", store_map), [key], delete)

    def scan(
        self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        self._read()
        found = self._inner.scan(store_map, index_value, limit, after)
        if self.faults.overlooked:  # without it the seeds of worlds mean what they did
            return [each for each in found if self._random.random() >= self.faults.overlooked]
        return found

    def scan_each(
        self, store_map: StoreMap, index_values: Sequence[str], limit: int, after: str = ""
    ) -> list[tuple[str, bytes]]:
        self._read()
        return self._inner.scan_each(store_map, index_values, limit, after)

    def count(self, store_map: StoreMap, index_value: str | None = None) -> int:
        self._read()
        return self._inner.count(store_map, index_value)

    def set_ttl_all(self, store_map: StoreMap, keys: Sequence[str], seconds: int) -> None:
        def end(key: str) -> Outcome:
            self._inner.set_ttl_all(store_map, [key], seconds)
            return Outcome(True, None)

        self._write(("end", store_map), keys, end)

    def close(self) -> None:
        if not self._is_dead:
            self._inner.close()

    def _read(self) -> None:
        self._stay_dead()
        if self._random.random() < self.faults.unreadable:
            self.lost += 1
            raise StoreError("the reading failed, as planned")

    def _write(
        self, kind: tuple[object, ...], batch: Sequence[Write], make: Callable[[Write], Outcome]
    ) -> list[Outcome]:
        torn = self._random.random() < self.faults.torn
        outcomes = []
        for write in batch:
            if torn and self._random.random() < 0.5:
                continue
            outcomes.append(self._made(write, make))
        answers = {(*kind, write) for write in batch}
        first = self.faults.lose_first_answers and not answers <= self._answered
        self._answered |= answers
        if torn or first or self._random.random() < self.faults.lost_answers:
            self.lost += 1
            raise StoreError("the answer was lost, as planned")
        return outcomes

    def _made(self, write: Write, make: Callable[[Write], Outcome]) -> Outcome:
        self._stay_dead()
        self.writes += 1
        outcome = make(write)
        return make(write) if self.faults.deliver_twice else outcome

    @property
    def _is_dead(self) -> bool:
        return self.faults.dies_after is not None and self.writes >= self.faults.dies_after

    def _stay_dead(self) -> None:
        if self._is_dead:
            raise NodeDied
