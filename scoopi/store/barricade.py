"""Barricade: one node composes a value, the others wait for it; a lost holder is replaced."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from scoopi.errors import ClusterError, StoreError
from scoopi.model.record_fields import Count
from scoopi.store.lease_watch import LeaseWatch
from scoopi.store.ports import Change, MapName, Store
from scoopi.store.record_codec import RecordCodec
from scoopi.store.stopped import StoppedError


class Lease(msgspec.Struct, frozen=True):
    """Who holds a barricade; `number` grows with each write, so no two records are alike."""

    holder: str
    number: Count


NOBODY = ""
POLL_MS = 200
"""Between two looks of a node that waits."""


class Barricade:
    """A named lease, renewed by a thread while its holder composes.

    The value is one record made by `put_if_absent`: who finds one uses it, so that a holder that
    was replaced although it lived does no harm.

    Args:
        store: one whose answers are settled.
        name: of the barricade; one value is composed under it, ever.
        incarnation: of this node.
        lease_ms: a holder whose lease did not change for this long is lost, by the watcher's clock.
        clock: seconds, monotonic.
        sleep: waits so many seconds of that clock; nothing tells when another node has composed.
    Source: design, "Protocol", rule 9.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        incarnation: str,
        lease_ms: int = 15_000,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._store = store
        self._lease_key = f"barricade/{name}"
        self._value_key = f"composed/{name}"
        self._name = name
        self._incarnation = incarnation
        self._lease_ms = lease_ms
        self._clock = clock
        self._watch = LeaseWatch(lease_ms, clock)
        self._seen: bytes | None = None
        self._codec = RecordCodec(MapName.RUN, Lease)
        self._sleep = sleep

    def composed(self) -> bytes | None:
        """The value, None when nobody has composed it yet."""
        return self._store.get_all(MapName.RUN, [self._value_key]).get(self._value_key)

    def compose_once(
        self,
        compose: Callable[[], bytes],
        timeout_ms: int,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> bytes:
        """The composed value: found, or composed here while no other node does.

        Args:
            timeout_ms: how long another node may hold the barricade without renewing its lease; a live node
                may take as long as it needs.
            is_stopped: asked while another node composes.
        Raises:
            StoppedError: `is_stopped` says so.
            ClusterError: another node held the barricade for too long.
            StoreError: nothing is known; call again.
            Exception: what `compose` raised; the barricade is released without a value.
        """
        end, lease_seen = self._clock() + timeout_ms / 1000, self._seen
        while True:
            value = self.composed()
            if value is None and (lease := self._acquired()) is not None:
                value = self._compose_holding(lease, compose)
            if value is not None:
                return value
            if is_stopped():
                raise StoppedError
            if self._seen != lease_seen:
                end, lease_seen = self._clock() + timeout_ms / 1000, self._seen
            left = end - self._clock()
            if left <= 0:
                raise ClusterError(
                    f"another node has been composing {self._name} for {timeout_ms} ms",
                    hint="look at the log of that node, or allow it more time",
                )
            self._sleep(min(left, POLL_MS / 1000, self._lease_ms / 4000))

    def _acquired(self) -> bytes | None:
        """The lease as this node wrote it; None while another holds it."""
        now = self._seen = self._store.get_all(MapName.RUN, [self._lease_key]).get(self._lease_key)
        if now is None:
            mine = self._lease(self._incarnation, 0)
            outcome = self._store.put_if_absent_all(MapName.RUN, [(self._lease_key, mine)])[0]
            return mine if outcome.won else None
        lease = self._codec.read(self._lease_key, now)
        if lease.holder in (NOBODY, self._incarnation) or self._watch.is_lost(now):
            return self._changed(now, self._incarnation)
        return None

    def _compose_holding(self, lease: bytes, compose: Callable[[], bytes]) -> bytes:
        with self._renewed(lease):
            # The holder before may have put its value after this node had looked for one.
            if (value := self.composed()) is not None:
                return value
            record = (self._value_key, compose())
            outcome = self._store.put_if_absent_all(MapName.RUN, [record])[0]
            if outcome.current is None:
                raise StoreError(f"the value of {self._name} was refused and is not there", hint="try again")
            return outcome.current

    @contextmanager
    def _renewed(self, lease: bytes) -> Iterator[None]:
        """Keep the lease until the end of the block, then give it back."""
        held = [lease]
        stopped = threading.Event()
        thread = threading.Thread(target=self._renew, args=(held, stopped), name="barricade", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()  # it is in a call to the store at most, which has an end of its own
            self._release(held[0])

    def _renew(self, held: list[bytes], stopped: threading.Event) -> None:
        while not stopped.wait(self._lease_ms / 5000):
            try:
                renewed = self._changed(held[0], self._incarnation)
            except StoreError:
                continue
            except ClusterError:
                return
            if renewed is None:
                return
            held[0] = renewed

    def _release(self, held: bytes) -> None:
        """Best effort: what is not released runs out."""
        try:
            self._changed(held, NOBODY)
        except (StoreError, ClusterError):
            return

    def _changed(self, now: bytes, holder: str) -> bytes | None:
        new = self._lease(holder, self._codec.read(self._lease_key, now).number + 1)
        outcome = self._store.cas_all(MapName.RUN, [Change(self._lease_key, now, new)])[0]
        return new if outcome.won else None

    def _lease(self, holder: str, number: int) -> bytes:
        return self._codec.written(Lease(holder, number))
