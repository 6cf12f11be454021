"""RunRecord and RunCancel: the record of a run's phase, its canaries, and the request to cancel the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec

from scoopi.errors import RunError, StoreError
from scoopi.model.job import Count
from scoopi.store.nodes.node_record import NodeRecord
from scoopi.store.ports import (
    ENDED,
    HOSTS,
    JOBS,
    NODES,
    PAGE,
    PAYLOADS,
    RUN,
    Change,
    Store,
    pages,
    with_prefix,
)
from scoopi.store.record_codec import RecordCodec
from scoopi.store.retries import first_won

_RUN = "run"
_LATER = (JOBS, PAYLOADS, ENDED, HOSTS)
_SEEDED = "composed/seed/"
"""Prefix of keys; like the maps above, it has records only if the run record exists, or was lost."""
_CANCEL = "cancel"


class RunPhase(StrEnum):
    """The phase of a run: RUNNING -> ENDING (no jobs are taken, nodes publish) -> OVER."""

    RUNNING = "RUNNING"
    ENDING = "ENDING"
    OVER = "OVER"


class RunState(msgspec.Struct, frozen=True):
    """The run record: one for each run, under the key `run`.

    Attributes:
        incarnation: incarnation of the run.
        seeded: whether all jobs of the locators have been put; until then the run cannot be over.
        writer: incarnation of the node that wrote the record.
    """

    incarnation: str
    phase: RunPhase
    seeded: bool
    writer: str


class RunRecord:
    """Creates, reads and moves the run record; each move is the same whichever node makes it.

    Every method raises StoreError if the outcome is not known, and may then be called again. Every move
    raises RunError if the record is gone.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node.
        canaries: keys of the canary records, one for each part of the store that can be lost alone.
    Source: ARCHITECTURE, protocol rules 9 to 11.
    """

    def __init__(self, store: Store, incarnation: str, canaries: Sequence[str] = ("canary",)) -> None:
        self._store = store
        self._incarnation = incarnation
        self._canaries = tuple(canaries)
        self._codec = RecordCodec(RUN, RunState)
        self._nodes = RecordCodec(NODES, NodeRecord)

    def create(self, run: str) -> RunState:
        """Create the record if there is none; return the existing or the new record.

        The canaries are put before the record, and never once it exists, since a lost canary must stay lost.

        Args:
            run: incarnation of the run.
        Raises:
            RunError: the record existed but is gone.
        """
        if (standing := self.read()) is not None:
            return standing
        if self.has_lost_any():
            raise RunError(
                "the run record is gone from the store: the run's data is lost",
                hint="its files stay as they are; --discard-lost moves them aside and starts the run again",
            )
        self._store.put_if_absent_all(RUN, [(key, run.encode()) for key in self._canaries])
        state = RunState(run, RunPhase.RUNNING, False, self._incarnation)
        outcome = self._store.put_if_absent_all(RUN, [(_RUN, self._codec.encode(state))])[0]
        if outcome.current is None:
            raise StoreError("the run record was rejected, but none exists", hint="try again")
        return self._codec.read(_RUN, outcome.current)

    def read(self) -> RunState | None:
        """The record; None if the store does not know the run."""
        record = self._store.get_all(RUN, [_RUN]).get(_RUN)
        return None if record is None else self._codec.read(_RUN, record)

    def mark_seeded(self) -> None:
        """Mark that every job of the locators has been put and acknowledged."""
        self._move(lambda state: state.seeded, seeded=True)

    def to_ending(self) -> None:
        """RUNNING -> ENDING; does nothing if the run is already in a later phase."""
        self._move(lambda state: state.phase is not RunPhase.RUNNING, phase=RunPhase.ENDING)

    def reopen(self) -> None:
        """OVER or ENDING -> RUNNING, to run failed tasks again; on one machine, where nothing expires."""
        self._move(lambda state: state.phase is RunPhase.RUNNING, phase=RunPhase.RUNNING)

    def to_over(self) -> None:
        """ENDING -> OVER; does nothing if the run is already OVER.

        Raises:
            RunError: the run is still RUNNING, or its record is gone.
        """
        if self._known().phase is RunPhase.RUNNING:
            raise RunError("a running run cannot be over", hint="this is a bug in Scoopi: please report it")
        self._move(lambda state: state.phase is RunPhase.OVER, phase=RunPhase.OVER)

    def has_lost(self, run: str) -> bool:
        """Whether the store has lost a part of a run: its record or a canary is missing, or of another run.

        Args:
            run: incarnation of the run.
        """
        keys = [_RUN, *self._canaries]
        found = self._store.get_all(RUN, keys)
        if len(found) < len(keys):
            return True
        state = self._codec.read(_RUN, found.pop(_RUN))
        return state.incarnation != run or any(canary != run.encode() for canary in found.values())

    def has_lost_any(self) -> bool:
        """Whether the store has lost a part of the run whose records it has, whatever its incarnation."""
        state = self.read()
        if state is not None:
            return self.has_lost(state.incarnation)
        # The run may have begun since the read; other records are written after this one.
        return self._has_begun() and self.read() is None

    def _has_begun(self) -> bool:
        if any(self._store.count(name) for name in _LATER):
            return True
        if next(with_prefix(self._store, RUN, PAGE, _SEEDED), None):
            return True
        return any(
            self._nodes.read(key, record).takes
            for page in pages(self._store, NODES, PAGE)
            for key, record in page
        )

    def _known(self) -> RunState:
        return self._codec.read(_RUN, self._standing())

    def _standing(self) -> bytes:
        record = self._store.get_all(RUN, [_RUN]).get(_RUN)
        if record is None:
            raise RunError("the store does not know this run: its data is lost", hint="start a new run")
        return record

    def _move(self, reached: Callable[[RunState], bool], **fields: object) -> None:
        """Change the record until `reached`, by this node or by another."""
        while not reached(state := self._codec.read(_RUN, record := self._standing())):
            moved = msgspec.structs.replace(state, writer=self._incarnation, **fields)
            # The bytes as read, not as Scoopi would encode them: a change must match them exactly.
            self._store.cas_all(RUN, [Change(_RUN, record, self._codec.encode(moved))])


class Cancelled(msgspec.Struct, frozen=True):
    """The record of a cancel: how often the run was cancelled, and the incarnation that did so last."""

    number: Count
    by: str


class RunCancel:
    """Makes and reads the request to cancel a run.

    A node obeys only requests made after it called `listen`, so nodes that are started later resume the run.

    Every method raises StoreError if the outcome is not known, and may then be called again.

    Args:
        store: settles its writes, as `SettlingStore` does.
        incarnation: incarnation of this node, or of the process that cancels.
    Source: docs/output.md.
    """

    def __init__(self, store: Store, incarnation: str) -> None:
        self._store = store
        self._incarnation = incarnation
        self._codec = RecordCodec(RUN, Cancelled)
        self._heard = 0

    def listen(self) -> None:
        """Ignore requests made before now, which were meant for other nodes."""
        self._heard = self._number(self._stands())

    def is_asked(self) -> bool:
        """Whether the run was cancelled since `listen`."""
        return self._number(self._stands()) > self._heard

    def ask(self) -> None:
        """Cancel the run for all nodes that take part in it now."""
        first_won(self._ask_once, "the run could not be cancelled")

    def _ask_once(self) -> bool | None:
        stands = self._stands()
        record = self._codec.encode(Cancelled(self._number(stands) + 1, self._incarnation))
        if stands is None:
            outcome = self._store.put_if_absent_all(RUN, [(_CANCEL, record)])[0]
        else:
            outcome = self._store.cas_all(RUN, [Change(_CANCEL, stands, record)])[0]
        return outcome.won or None

    def _stands(self) -> bytes | None:
        return self._store.get_all(RUN, [_CANCEL]).get(_CANCEL)

    def _number(self, record: bytes | None) -> int:
        return 0 if record is None else self._codec.read(_CANCEL, record).number
