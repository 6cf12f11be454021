"""CompletionCheck: decides whether a run is over, without a counter that a crash of its owner could spoil."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scoopi.errors import RunError
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import Load, NodeRecord
from scoopi.store.pages.job_store import JobStore
from scoopi.store.runs.run_record import RunPhase, RunRecord

_BEATS = 2
"""A heartbeat may be older than its writing; the second one after a scan was made up after it."""


class _Scanned(NamedTuple):
    """A scan found no job, and no node had taken one around it."""

    takes: int
    others: dict[str, NodeRecord]


class CompletionCheck:
    """Decides whether a run is over, without a counter that a crash of its owner could spoil.

    It is over when all live nodes are idle, no job is left, and no node has taken one around that.

    A scan reads one record after another, so a job could move past it. It is believed only when
    every live node was idle before it and after it, with the same number of takes: then no job
    moved. This node reports that at once (`load`), the others by heartbeats that they composed after the
    scan; so a run on one machine is over at the first asking.

    Args:
        load: this node's load just now. `takes` must grow before the store is asked for jobs, and
            `idle` be false while it is.
    Source: ARCHITECTURE, protocol rule 10.
    """

    def __init__(
        self,
        run: RunRecord,
        jobs: JobStore,
        members: Membership,
        incarnation: str,
        load: Callable[[], Load],
    ) -> None:
        self._run = run
        self._jobs = jobs
        self._members = members
        self._incarnation = incarnation
        self._load = load
        self._found: _Scanned | None = None

    def is_over(self) -> bool:
        """Ask the store; to be asked again until true, by one thread.

        Raises:
            StoreError: nothing is known yet.
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
        """Look for jobs between two looks at the nodes."""
        before, others = self._load(), self._others()
        if not before.idle or not _all_idle(others):
            return None
        self._jobs.bury()
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
        """Whether all other nodes have reported since the scan that they took nothing around it."""
        now = self._others()
        return _takes(now) == _takes(found.others) and all(
            member.idle and member.number >= found.others[key].number + _BEATS for key, member in now.items()
        )

    def _others(self) -> dict[str, NodeRecord]:
        live = self._members.live()
        live.pop(self._incarnation, None)
        return live


def _all_idle(members: dict[str, NodeRecord]) -> bool:
    return all(member.idle for member in members.values())


def _takes(members: dict[str, NodeRecord]) -> dict[str, int]:
    return {key: member.takes for key, member in members.items()}
