"""Lease: a named right that one node holds at a time; a holder whose watchers see no change is replaced."""

from __future__ import annotations

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


class LeaseWatch:
    """Decides that a lease is lost once its record has not changed for long enough.

    Clocks of machines are never compared.

    Args:
        lease_ms: unchanged for this long, and in at least `reads` looks after the first: expired.
        clock: seconds, monotonic.
        reads: how many looks in a row must have found it unchanged.
        spacing_ms: looks nearer to each other than this are one look.
    Source: ARCHITECTURE, protocol rules 8 and 9.
    """

    def __init__(
        self, lease_ms: int, clock: Callable[[], float], reads: int = 1, spacing_ms: int = 0
    ) -> None:
        self._lease_s = lease_ms / 1000
        self._spacing_s = spacing_ms / 1000
        self._clock = clock
        self._needed = reads
        self._record: bytes | None = None
        self._changed_at = 0.0
        self._looked_at = 0.0
        self._looks = 0

    def is_lost(self, record: bytes) -> bool:
        """Look at the record as it was just read; whether it has not changed for too long."""
        now = self._clock()
        if record != self._record:
            self._record, self._changed_at, self._looked_at, self._looks = record, now, now, 0
        elif now - self._looked_at >= self._spacing_s:
            self._looked_at, self._looks = now, self._looks + 1
        return now - self._changed_at >= self._lease_s and self._looks >= self._needed

    def interrupt(self) -> None:
        """A look failed: those before it are not in a row with those to come."""
        self._looks = 0


def boottime() -> float:
    """Seconds since the machine's start, those included in which it was suspended.

    The monotonic clock stands still meanwhile: a node that wakes up would find its heartbeat recent, while
    others declared it dead long ago.
    """
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class NodeClocks(msgspec.Struct, frozen=True):
    """The clocks of one node, in seconds.

    Attributes:
        monotonic: by which the heartbeats of others are timed.
        boottime: passes also while this machine is suspended: by which its own are timed.
    """

    monotonic: Callable[[], float] = time.monotonic
    boottime: Callable[[], float] = boottime


SYSTEM_CLOCKS = NodeClocks()


class LeaseRecord(msgspec.Struct, frozen=True):
    """Which node holds a lease; `number` grows with each write, so no two records are alike."""

    holder: str
    number: Count


class Lease:
    """A named right that one node holds at a time; a holder whose watchers see no change is replaced.

    Acquired by a conditional write, renewed by a thread while it is used, then released.

    A live holder that is replaced does not learn it at once: what it does under the lease must be harmless
    if another node does it too.

    Args:
        store: one whose answers are settled.
        key: of the lease's record in the map `run`.
        incarnation: of this node.
        lease_ms: a holder that has not renewed for this long, by the watcher's clock, is dead.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        store: Store,
        key: str,
        incarnation: str,
        lease_ms: int = 15_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._key = key
        self._incarnation = incarnation
        self._lease_ms = lease_ms
        self._watch = LeaseWatch(lease_ms, clock)
        self._codec = RecordCodec(RUN, LeaseRecord)
        self._held: bytes | None = None
        self.seen: bytes | None = None
        """The record as `acquire` last read it; it changes while a live node holds the lease."""

    def acquire(self) -> bool:
        """Take the lease if it is free, or if its holder is dead; False while another node holds it.

        Raises:
            StoreError: nothing is known; call again.
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
        """Renew the acquired lease until the end of the block, then release it."""
        stopped = threading.Event()
        thread = threading.Thread(target=self._renew, args=(stopped,), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()  # at most it waits for one call to the store, which has a timeout
            self._release()

    def _renew(self, stopped: threading.Event) -> None:
        while self._held is not None and not stopped.wait(self._lease_ms / 5000):
            try:
                self._held = self._changed(self._held, self._incarnation)
            except StoreError:
                continue
            except ClusterError:
                return

    def _release(self) -> None:
        """Best effort: a lease that is not released expires."""
        try:
            if self._held is not None:
                self._changed(self._held, NOBODY)
        except (StoreError, ClusterError):
            return
        finally:
            self._held = None

    def _changed(self, now: bytes, holder: str) -> bytes | None:
        """The record as this node wrote it; None if another node was faster."""
        new = self._record(holder, self._codec.read(self._key, now).number + 1)
        outcome = self._store.cas_all(RUN, [Change(self._key, now, new)])[0]
        return new if outcome.won else None

    def _record(self, holder: str, number: int) -> bytes:
        return self._codec.written(LeaseRecord(holder, number))
