"""ReopenedRun: fills the maps in which a run that was over continues, to run its failed tasks again."""

from __future__ import annotations

from collections.abc import Callable

from scoopi.errors import RunError
from scoopi.publishing.expectations.expected_totals import keep_earlier
from scoopi.runs.composed import read_composed
from scoopi.store.jobs.finished_jobs import RememberedEnds
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.ports import NODES, PAGE, Store, pages
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.shared_backend import SharedBackend

COPY_TIMEOUT_MS = 600_000
COPIED = b"copied"


class ReopenedRun:
    """Fills the maps in which a run that was over continues, to run its failed tasks again.

    They get what the run was composed of, its nodes, and how each job ended: so the rows that it had are
    published again, and no page is read twice. Each node that joins the run does this first, and each step
    may be repeated, so a node may crash at any of them.

    Args:
        node: incarnation of this node.
        lease_ms: see `Barricade`.
    Source: ARCHITECTURE, "Failed tasks run again".
    """

    def __init__(self, backend: SharedBackend, registry: RunRegistry, node: str, lease_ms: int) -> None:
        self._backend = backend
        self._registry = registry
        self._node = node
        self._lease_ms = lease_ms

    def ensure_filled(self, run: str, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Fill the maps of a reopened run, if no node has yet; do nothing for any other run.

        Raises:
            RunError: its earlier records have expired meanwhile.
            StoreError: the store does not answer; call again.
            StoppedError: `is_stopped` returned true.
        """
        maps, before = self._registry.maps(run), self._registry.before(run)
        if maps is None or before is None:
            return
        now, earlier = self._backend.store(maps), self._backend.store(before)
        record = RunRecord(now, self._node, self._backend.canaries)
        if (state := record.read()) is not None and state.seeded:
            return
        packed = Barricade(now, "setup", self._node, self._lease_ms).compose_once(
            lambda: self._setup_of(earlier, run), COPY_TIMEOUT_MS, is_stopped
        )
        incarnation = read_composed(packed).run
        record.create(incarnation)

        def copy() -> bytes:
            self._copy(earlier, now)
            # The run record expires first: as long as it exists, no other record was missing.
            if RunRecord(earlier, self._node, self._backend.canaries).has_lost(incarnation):
                raise _expired(run)
            return COPIED

        Barricade(now, "reopened", self._node, self._lease_ms).compose_once(copy, COPY_TIMEOUT_MS, is_stopped)
        record.mark_seeded()

    def _setup_of(self, earlier: Store, run: str) -> bytes:
        packed = Barricade(earlier, "setup", self._node).composed()
        if packed is None:
            raise _expired(run)
        return packed

    def _copy(self, earlier: Store, now: Store) -> None:
        for page in pages(earlier, NODES, PAGE):
            now.put_if_absent_all(NODES, page)
        keep_earlier(earlier, now)
        remembered = RememberedEnds(now)
        for ends in JobStore(earlier, self._node).finished.pages():
            for start in range(0, len(ends), PAGE):
                remembered.remember(dict(ends[start : start + PAGE]))


def _expired(run: str) -> RunError:
    return RunError(
        f"what was kept of the run {run} has expired while it was read",
        hint="its files stay as they are; start a new run of the same definitions",
    )
