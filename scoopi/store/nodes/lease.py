"""Lease and LeaseWatch: a named right that one node holds at a time; a dead holder is replaced."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from scoopi.errors import ClusterError, StoreError
from scoopi.model.job import Count
from scoopi.store.ports import RUN, Change, Store
from scoopi.store.record_codec import RecordCodec

NOBODY = ""
_RENEWALS = 5
"""How often a holder renews its lease before another node would consider it dead."""


class LeaseWatch:
    """Decides that a lease is lost once its record has not changed for long enough.

    The clocks of machines are never compared.

    Args:
        lease_ms: how long the record must have been unchanged.
        clock: monotonic time in seconds.
        reads: how many consecutive reads, after the first, must have found it unchanged.
        spacing_ms: reads closer to each other than this count as one.
    Attributes:
        lease_s: `lease_ms` in seconds.
    Source: ARCHITECTURE, protocol rules 8 and 9.
    """

    def __init__(
        self, lease_ms: int, clock: Callable[[], float], reads: int = 1, spacing_ms: int = 0
    ) -> None:
        self.lease_s = lease_ms / 1000
        self._spacing_s = spacing_ms / 1000
        self._clock = clock
        self._needed = reads
        self._record: bytes | None = None
        self._changed_at = self._polled_at = math.inf
        self._polls = 0

    def is_lost(self, record: bytes) -> bool:
        """Whether the record, as just read, has been unchanged for `lease_ms` and `reads` reads."""
        now = self._clock()
        if record != self._record:
            self._record, self._changed_at, self._polled_at, self._polls = record, now, now, 0
        elif now - self._polled_at >= self._spacing_s:
            self._polled_at, self._polls = now, self._polls + 1
        return now - self._changed_at >= self.lease_s and self._polls >= self._needed

    def interrupt(self) -> None:
        """Note that a read failed, so that reads before and after it are not consecutive."""
        self._polls = 0


def boottime() -> float:
    """Seconds since the machine booted, including the time during which it was suspended.

    The monotonic clock stops while it is suspended: a node that wakes up would consider its heartbeat
    recent, although others have declared it dead.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class NodeClocks(msgspec.Struct, frozen=True):
    """The clocks of one node, in seconds.

    Attributes:
        monotonic: times the heartbeats of other nodes.
        boottime: times the node's own heartbeats; runs on while the machine is suspended.
    """

    monotonic: Callable[[], float] = time.monotonic
    boottime: Callable[[], float] = boottime


SYSTEM_CLOCKS = NodeClocks()


class LeaseRecord(msgspec.Struct, frozen=True):
    """Which incarnation holds a lease; `number` counts the writes from 0, so no two records are equal."""

    holder: str
    number: Count


class Lease:
    """A named right that one node holds at a time; a dead holder is replaced.

    Acquired by a conditional write, renewed by a thread while it is used, then released.

    A live holder that is replaced does not notice immediately, so what it does under the lease must be
    harmless if another node does it, too.

    Args:
        store: settles its writes, as `SettlingStore` does.
        key: key of the lease's record in the map `run`.
        incarnation: incarnation of this node.
        lease_ms: a holder that has not renewed for this long, by the watcher's clock, is dead.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        store: Store,
        key: str,
        incarnation: str,
        lease_ms: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._key = key
        self._incarnation = incarnation
        self._watch = LeaseWatch(lease_ms, clock)
        self._codec = RecordCodec(RUN, LeaseRecord)
        self._held: bytes | None = None
        self.seen: bytes | None = None
        """The record as last read by `acquire`; it keeps changing while a live node holds the lease."""

    def acquire(self) -> bool:
        """Take the lease if it is free, or if its holder is dead; False while another node holds it.

        Raises:
            StoreError: the outcome is not known; call again.
        """
        now = self.seen = self._store.get_all(RUN, [self._key]).get(self._key)
        if now is None:
            first = self._record(self._incarnation, 0)
            won = self._store.put_if_absent_all(RUN, [(self._key, first)])[0].won
            self._held = first if won else None
        else:
            holder = self._codec.read(self._key, now).holder
            is_free = holder in (NOBODY, self._incarnation) or self._watch.is_lost(now)
            self._held = self._changed(now, self._incarnation) if is_free else None
        return self._held is not None

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renew the acquired lease in a thread until the end of the `with` block, then release it."""
        stopped = threading.Event()
        thread = threading.Thread(target=self._renew, args=(stopped,), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()  # waits for one call to the store at most, which has a timeout
            self._release()

    def _renew(self, stopped: threading.Event) -> None:
        while self._held is not None and not stopped.wait(self._watch.lease_s / _RENEWALS):
            try:
                self._held = self._changed(self._held, self._incarnation)
            except StoreError:
                continue
            except ClusterError:
                return

    def _release(self) -> None:
        """Release the lease, if possible; otherwise it expires."""
        try:
            if self._held is not None:
                self._changed(self._held, NOBODY)
        except (StoreError, ClusterError):
            return
        finally:
            self._held = None

    def _changed(self, now: bytes, holder: str) -> bytes | None:
        """Write the record; return it, or None if another node was first."""
        new = self._record(holder, self._codec.read(self._key, now).number + 1)
        outcome = self._store.cas_all(RUN, [Change(self._key, now, new)])[0]
        return new if outcome.won else None

    def _record(self, holder: str, number: int) -> bytes:
        return self._codec.encode(LeaseRecord(holder, number))
