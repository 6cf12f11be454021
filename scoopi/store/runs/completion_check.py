"""CompletionCheck: decides whether a run is over, without a counter that a crash could falsify."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scoopi.errors import RunError
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeRecord
from scoopi.store.runs.run_record import RunPhase, RunRecord

_BEATS = 2
"""Heartbeats to await after a scan: the first may have been composed before the scan, the second was not."""


class _Scanned(NamedTuple):
    """The state around a scan that found no job, and during which no node took one."""

    takes: int
    others: dict[str, NodeRecord]


class CompletionCheck:
    """Decides whether a run is over, without a counter that a crash could falsify.

    A run is over when all live nodes are idle, no job is left, and no node has taken one meanwhile.

    A scan reads one record after another, so a job could move past it. Its result counts only if every live
    node was idle before and after it, with the same number of takes, because then no job has moved. For this
    node `load` shows that immediately; the others show it by heartbeats that they composed after the scan.
    So a run on one machine is found to be over at the first call after its last job.

    Args:
        run: the run record, whose phase is read first.
        incarnation: incarnation of this node.
        load: returns this node's current load. `takes` must be incremented before the store is asked for
            jobs, and `idle` must be false during the call.
    Source: ARCHITECTURE, protocol rule 10.
    """

    def __init__(
        self,
        run: RunRecord,
        jobs: JobStore,
        membership: Membership,
        incarnation: str,
        load: Callable[[], NodeLoad],
    ) -> None:
        self._run = run
        self._jobs = jobs
        self._membership = membership
        self._incarnation = incarnation
        self._load = load
        self._found: _Scanned | None = None

    def is_over(self) -> bool:
        """Check whether the run is over; called repeatedly by one thread until true.

        Reads the store, and finishes jobs that a crashed node has left half ended.

        Raises:
            StoreError: it is not known yet.
            RecordError: a record is not a job, or waits for an unknown host; the run would never end.
            RunError: the run record is gone.
        """
        state = self._run.read()
        if state is None:
            raise RunError("the store does not know this run: its data is lost", hint="start a new run")
        if state.phase is not RunPhase.RUNNING:
            return True
        if not state.seeded:
            return False
        if self._found is None or not self._still_so(self._found):
            self._found = self._scanned()
        return self._found is not None and self._believed(self._found)

    def _scanned(self) -> _Scanned | None:
        """Scan for jobs between two reads of the nodes."""
        before, others = self._load(), self._others()
        if not before.idle or not _all_idle(others):
            return None
        self._jobs.finished.bury()
        if not self._jobs.nothing_left():
            self._jobs.refuse_strays()
            return None
        found = _Scanned(before.takes, self._others())
        return found if _takes(others) == _takes(found.others) and self._still_so(found) else None

    def _still_so(self, found: _Scanned) -> bool:
        load, others = self._load(), self._others()
        return (
            load.idle
            and load.takes == found.takes
            and _all_idle(others)
            and _takes(others) == _takes(found.others)
        )

    def _believed(self, found: _Scanned) -> bool:
        """Whether all other nodes have reported since the scan that they took no job during it."""
        now = self._others()
        return _takes(now) == _takes(found.others) and all(
            record.idle and record.number >= found.others[key].number + _BEATS for key, record in now.items()
        )

    def _others(self) -> dict[str, NodeRecord]:
        live = self._membership.live()
        live.pop(self._incarnation, None)
        return live


def _all_idle(records: dict[str, NodeRecord]) -> bool:
    return all(record.idle for record in records.values())


def _takes(records: dict[str, NodeRecord]) -> dict[str, int]:
    return {key: record.takes for key, record in records.items()}
