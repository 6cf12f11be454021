"""RunCancel: asks all nodes of a run to stop, and reads whether that was asked."""

from __future__ import annotations

import msgspec

from scoopi.model.job import Count
from scoopi.store.ports import Change, Store
from scoopi.store.record_codec import RecordCodec
from scoopi.store.retries import first_won
from scoopi.store.run_maps import RUN

_CANCEL = "cancel"


class Cancelled(msgspec.Struct, frozen=True):
    """The record: how often the run was cancelled, and which node did it last."""

    number: Count
    by: str


class RunCancel:
    """A node obeys requests made after it has joined; so nodes that are started later resume the run.

    Every method raises StoreError when nothing is known, and may then be called again.

    Args:
        store: one whose answers are settled.
        incarnation: of this node, or of the process that asks.
    Source: docs/output.md.
    """

    def __init__(self, store: Store, incarnation: str) -> None:
        self._store = store
        self._incarnation = incarnation
        self._codec = RecordCodec(RUN, Cancelled)
        self._heard = 0

    def listen(self) -> None:
        """Ignore requests made before now: they were for other nodes."""
        self._heard = self._number(self._stands())

    def is_asked(self) -> bool:
        """Whether the run was cancelled since `listen`."""
        return self._number(self._stands()) > self._heard

    def ask(self) -> None:
        """Ask all nodes that are in the run now."""
        first_won(self._ask_once, "the run could not be cancelled")

    def _ask_once(self) -> bool | None:
        stands = self._stands()
        record = self._codec.written(Cancelled(self._number(stands) + 1, self._incarnation))
        if stands is None:
            outcome = self._store.put_if_absent_all(RUN, [(_CANCEL, record)])[0]
        else:
            outcome = self._store.cas_all(RUN, [Change(_CANCEL, stands, record)])[0]
        return outcome.won or None

    def _stands(self) -> bytes | None:
        return self._store.get_all(RUN, [_CANCEL]).get(_CANCEL)

    def _number(self, record: bytes | None) -> int:
        return 0 if record is None else self._codec.read(_CANCEL, record).number
