"""OutputWiring: makes the publishers of a node, and the loads of its tables."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from injector import inject
from msgspec.structs import replace

from scoopi.configs.groups import OutputSettings
from scoopi.engine.stop_time import StopTime
from scoopi.mediator.budgets.page_limit import PageLimit
from scoopi.outputs.output_spec import OutputSpec, of_node
from scoopi.publishing.changes.record_changes import RecordChanges
from scoopi.publishing.live_loads import LiveLoads
from scoopi.publishing.publisher import FrameSource, PublishChecks, Publisher, PublishTarget
from scoopi.publishing.row_tables import RowTables
from scoopi.publishing.run_rows import OwnRows, RunRows
from scoopi.runs.folders.node_folder import segments_of_all
from scoopi.runs.folders.run_state import HIDDEN
from scoopi.runs.run_context import RunContext
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.departure import Departure
from scoopi.store.nodes.membership import Membership
from scoopi.store.runs.run_record import RunRecord


class OutputWiring:
    """Makes the publishers of a node. Source: docs/output.md.

    Args:
        stop: ends publishing, and waiting for other nodes, early.
    """

    @inject
    def __init__(
        self,
        context: RunContext,
        jobs: JobStore,
        record: RunRecord,
        stop: StopTime,
        pages: PageLimit,
        membership: Membership,
    ) -> None:
        self._context = context
        self._membership = membership
        self._pages = pages
        self._jobs = jobs
        self._record = record
        self._stop = stop
        self._settings = OutputSettings.of(context.configs)
        folder = context.folder
        self._target = PublishTarget(
            folder.path,
            folder.node_folder,
            stdout=context.stdout,
            compare=self._compared,
            keeps_uploaded=self._settings.keep_uploaded,
        )
        self._checks = PublishChecks(self._is_lost, stop.is_up, self._is_partial)

    def _compared(
        self, outputs: Sequence[OutputSpec], work_folder: Path
    ) -> contextlib.AbstractContextManager[RecordChanges]:
        from scoopi.publishing.changes.change_history import ChangeHistory  # late: few definitions need it

        hidden, composed = self._context.folder.path / HIDDEN, self._context.composed
        is_selection = composed.definitions.is_selection
        history = ChangeHistory(hidden, composed.defs_source, is_selection=is_selection)
        return history.compared(outputs, work_folder)

    def live_loads(self) -> LiveLoads:
        """The loads that fill the tables of this node's outputs during the run."""
        context = self._context
        tables = self._tables([spec for spec in context.outputs if not self._merges or spec.is_shared_table])
        segment = context.folder.segments / f"{context.node}.seg"
        return LiveLoads(segment, tables.during_run(), self._jobs, context.sync_store)

    def _tables(
        self,
        outputs: Sequence[OutputSpec],
        finish_live: Callable[[Callable[[], bool]], None] = lambda is_late: None,
    ) -> RowTables:
        context = self._context
        return RowTables(outputs, context.table_folder, context.run, context.folder.node_folder, finish_live)

    def publisher(self, live: LiveLoads) -> Publisher:
        """The publisher of this node's own rows.

        Args:
            live: finished before the publisher loads the rest.
        """
        context = self._context
        target = replace(self._target, stream=context.stream)
        frames = FrameSource(lambda: context.folder.segments.glob("*.seg"), context.owns)
        tables = self._tables(context.outputs, live.finish)
        checks = self._checks if self._merges else self._checks_of(context.folder.node_folder.name)
        return Publisher(target, self._jobs, context.outputs, frames, checks, tables)

    def _checks_of(self, node: str) -> PublishChecks:
        """The checks of a publisher with the rows of only one node."""
        if self._context.cluster is None:
            return self._checks
        from scoopi.publishing.expectations.expected_totals import (
            ExpectedTotals,  # late: only for nodes of a cluster
        )

        totals = ExpectedTotals(self._context.store, self._membership, self._record, node)
        return replace(self._checks, of_all=totals.of_all)

    def rows(self, publisher: Publisher, departure: Departure, live: LiveLoads) -> RunRows:
        """Make what decides which rows this node publishes at the end of the run.

        Args:
            publisher: the publisher of this node's own rows.
            live: finished before a publisher of all rows loads the rest.
        """
        own = OwnRows(publisher, departure, self._context.was_over, in_parts=self._context.stream is None)
        if self._merges:
            from scoopi.publishing.shared_rows import MergedRows  # late: only for nodes that share a folder

            return MergedRows(self._of_all(live), self._barricade("merge"), departure, self._is_stopped)
        if self._context.cluster is not None and self._settings.durability == "shared":
            from scoopi.publishing.shared_rows import SharedRows

            return SharedRows(own, self._of_lost, self._barricade, departure, self._is_stopped)
        return own

    @property
    def _merges(self) -> bool:
        return self._context.cluster is not None and self._settings.merge

    def _of_all(self, live: LiveLoads) -> Publisher:
        context = self._context
        frames, outputs = FrameSource(lambda: segments_of_all(context.folder.path)), context.plain_outputs
        tables = self._tables(outputs, live.finish)
        return Publisher(self._target, self._jobs, outputs, frames, self._checks, tables)

    def _of_lost(self, node: str) -> Publisher:
        """The publisher of another node's rows, if that node is dead.

        Its work files are in this node's folder, so that it does not disturb a node that returns meanwhile.
        """
        segments = self._context.folder.node_folder.parent / node / "segments"
        frames = FrameSource(
            lambda: segments.glob("*.seg"), lambda incarnation: (segments / f"{incarnation}.seg").exists()
        )
        outputs = of_node(self._context.plain_outputs, node)
        checks = self._checks_of(node)
        return Publisher(self._target, self._jobs, outputs, frames, checks, self._tables(outputs))

    def _barricade(self, name: str) -> Barricade:
        context = self._context
        assert context.cluster is not None, "on one machine nothing is shared"
        return Barricade(
            context.store, f"{name}/{context.run}", context.node, context.cluster.liveness_gap_ms
        )

    def _is_stopped(self) -> bool:
        return self._stop.is_asked

    def _is_partial(self) -> bool:
        is_limited = self._pages.is_reached and not self._jobs.nothing_left()
        return is_limited or self._context.composed.definitions.is_partial

    def _is_lost(self) -> bool:
        return self._record.has_lost(self._context.run)
