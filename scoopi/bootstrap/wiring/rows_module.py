"""RowsModule: what makes rows durable, publishes them, and completes the run."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from injector import Binder, Module, inject, provider, singleton
from msgspec.structs import replace

from scoopi.appenders.appender import STORE_TIMEOUT_S, Appender, CommitEvents
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.configs.groups import AppenderSettings, EngineSettings, OutputSettings
from scoopi.engine.node_watch import COMMIT, COMMIT_BOUNDS_S
from scoopi.engine.record_finds import RecordFinds
from scoopi.engine.run_completion import Presence, RunLimits
from scoopi.engine.run_reporter import EmptyFinds, RunNotes, RunReporter
from scoopi.engine.shutdown import StopTime
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.page_limit import PageLimit
from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.metrics.node_counts import NodeCounts
from scoopi.publishing.changes.record_changes import RecordChanges
from scoopi.publishing.live_loads import LiveLoads
from scoopi.publishing.output_file import OutputSpec, of_node
from scoopi.publishing.publisher import FrameSource, PublishChecks, Publisher, PublishTarget
from scoopi.publishing.row_tables import RowTables
from scoopi.publishing.run_rows import OwnRows, RunPhases, RunRows
from scoopi.runs.folders.node_folder import LOST_PREFIX, NodeFolder
from scoopi.runs.folders.run_state import HIDDEN
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_file import RunFile, RunPlace
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.departure import Departure
from scoopi.store.pages.job_store import JobStore
from scoopi.store.runs.run_record import RunRecord


class OutputWiring:
    """Makes the publishers of a node. Source: docs/output.md.

    Args:
        stop: cuts publishing and waiting for other nodes short.
    """

    @inject
    def __init__(
        self, context: RunContext, jobs: JobStore, record: RunRecord, stop: StopTime, pages: PageLimit
    ) -> None:
        self._context = context
        self._pages = pages
        self._jobs = jobs
        self._record = record
        self._stop = stop
        self._settings = OutputSettings.of(context.configs)
        folder = context.folder
        self._target = PublishTarget(
            folder.path, folder.node_folder, stdout=context.stdout, compare=self._compared
        )
        self._checks = PublishChecks(self._is_lost, stop.is_up, self._is_partial)

    def _compared(
        self, outputs: Sequence[OutputSpec], work_folder: Path
    ) -> contextlib.AbstractContextManager[RecordChanges]:
        from scoopi.publishing.changes.change_history import ChangeHistory  # late: few definitions need it

        hidden, definitions = self._context.folder.path / HIDDEN, self._context.composed.defs_source
        return ChangeHistory(hidden, definitions).compared(outputs, work_folder)

    def live_loads(self) -> LiveLoads:
        """Fills the tables of this node's outputs during the run."""
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
        """Of this node's own rows.

        Args:
            live: ends before the publisher loads what is left.
        """
        context = self._context
        target = replace(self._target, stream=context.stream)
        frames = FrameSource(lambda: context.folder.segments.glob("*.seg"), context.owns)
        tables = self._tables(context.outputs, live.finish)
        return Publisher(target, self._jobs, context.outputs, frames, self._checks, tables)

    def rows(self, publisher: Publisher, departure: Departure, live: LiveLoads) -> RunRows:
        """What is written at the run's end.

        Args:
            publisher: of this node's own rows.
            live: ends before a publisher of all rows loads what is left.
        """
        own = OwnRows(publisher, departure, self._context.was_over, in_parts=self._context.stream is None)
        if self._merges:
            from scoopi.publishing.shared_rows import MergedRows  # late: for nodes that share a folder

            return MergedRows(self._of_all(live), self._barricade("merge"), departure, self._is_stopped)
        if self._context.cluster is not None and self._settings.durability == "shared":
            from scoopi.publishing.shared_rows import SharedRows

            return SharedRows(own, self._of_lost, self._barricade, departure, self._is_stopped)
        return own

    @property
    def _merges(self) -> bool:
        return self._context.cluster is not None and self._settings.merge

    def _of_all(self, live: LiveLoads) -> Publisher:
        frames, outputs = FrameSource(self._segments_of_all), self._context.plain_outputs
        tables = self._tables(outputs, live.finish)
        return Publisher(self._target, self._jobs, outputs, frames, self._checks, tables)

    def _of_lost(self, node: str) -> Publisher:
        """Its work files are in this node's folder: a node that returns meanwhile is not disturbed."""
        segments = self._context.folder.node_folder.parent / node / "segments"
        frames = FrameSource(
            lambda: segments.glob("*.seg"), lambda incarnation: (segments / f"{incarnation}.seg").exists()
        )
        outputs = of_node(self._context.plain_outputs, node)
        return Publisher(self._target, self._jobs, outputs, frames, self._checks, self._tables(outputs))

    def _segments_of_all(self) -> Iterator[Path]:
        for file in self._context.folder.node_folder.parent.glob("*/segments/*.seg"):
            if not file.parents[1].name.startswith(LOST_PREFIX):
                yield file

    def _barricade(self, name: str) -> Barricade:
        context = self._context
        assert context.cluster is not None, "on one machine nothing is shared"
        return Barricade(
            context.store, f"{name}/{context.run}", context.node, context.cluster.liveness_gap_ms
        )

    def _is_stopped(self) -> bool:
        return self._stop.is_asked

    def _is_partial(self) -> bool:
        return self._pages.is_reached and not self._jobs.nothing_left()

    def _is_lost(self) -> bool:
        return self._record.lost(self._context.run)


class RowsModule(Module):
    """From results to finished files."""

    def configure(self, binder: Binder) -> None:
        """Bind what needs no value of its own."""
        for part in (NodeCounts, OutputWiring, Presence):
            binder.bind(part, scope=singleton)

    @singleton
    @provider
    def stop(self, settings: EngineSettings, context: RunContext) -> StopTime:
        """Whether this node is to stop, and by when."""
        limit_s, deadline = settings.shutdown_timeout_s, context.set_deadline
        return StopTime(limit_s, time.monotonic, deadline) if deadline is not None else StopTime(limit_s)

    @singleton
    @provider
    def writer(self, context: RunContext) -> SegmentWriter:
        """This process' segment file."""
        return SegmentWriter(context.folder.segments, SegmentHeader(context.run, context.node))

    @singleton
    @provider
    def appender(
        self,
        writer: SegmentWriter,
        jobs: JobStore,
        settings: AppenderSettings,
        record: RunRecord,
        events: NodeEvents,
        counts: NodeCounts,
        context: RunContext,
        live: LiveLoads,
    ) -> Appender:
        """Commits results, and finishes their jobs."""
        return Appender(
            writer,
            jobs,
            settings,
            CommitEvents(
                events.on_ended,
                events.on_fault,
                lambda seconds: counts.observe(COMMIT, seconds, COMMIT_BOUNDS_S),
                live.settle,
                live.close,
            ),
            context.store_timeout_s or STORE_TIMEOUT_S,
            lambda: record.lost(context.run),
        )

    @singleton
    @provider
    def live_loads(self, output: OutputWiring) -> LiveLoads:
        """Fills tables while the run is in progress."""
        return output.live_loads()

    @singleton
    @provider
    def publisher(self, output: OutputWiring, live: LiveLoads) -> Publisher:
        """Of this node's own rows."""
        return output.publisher(live)

    @singleton
    @provider
    def rows(
        self, output: OutputWiring, publisher: Publisher, departure: Departure, live: LiveLoads
    ) -> RunRows:
        """Which files this node writes at the run's end."""
        return output.rows(publisher, departure, live)

    @singleton
    @provider
    def place(self, context: RunContext) -> RunPlace:
        """Which run this is."""
        return RunPlace(
            run=context.folder.path.name,
            folder=context.folder.path,
            incarnation=context.run,
            resume=context.resume_command(),
            was_over=context.was_over,
            is_alone=context.cluster is None,
            retry=context.command("retry"),
        )

    @singleton
    @provider
    def record_finds(self, context: RunContext, counts: NodeCounts) -> RecordFinds:
        """What the fields of records found on the pages that this process has read."""
        return RecordFinds(context.composed.definitions.record_defs, counts, _whose(context))

    @singleton
    @provider
    def empty_finds(self, context: RunContext, counts: NodeCounts) -> EmptyFinds:
        """What found nothing on the pages that this process has read."""
        return EmptyFinds(context.composed.definitions.data_defs, counts, _whose(context))

    @singleton
    @provider
    def notes(self, empty: EmptyFinds, records: RecordFinds, budget: RetryBudget) -> RunNotes:
        """What the report adds to its figures."""
        return RunNotes(lambda: (*empty.sentences(), *records.sentences()), budget.used_up, records.figures)

    @singleton
    @provider
    def reporter(
        self,
        place: RunPlace,
        jobs: JobStore,
        record: RunRecord,
        counts: NodeCounts,
        notes: RunNotes,
        context: RunContext,
    ) -> RunReporter:
        """Reports what the run has done."""
        file = RunFile(context.folder.path, context.folder.node_folder, context.cluster is not None)
        return RunReporter(place, file, jobs, record, counts, notes)

    @singleton
    @provider
    def phases(self, record: RunRecord, departure: Departure, context: RunContext) -> RunPhases:
        """Moves the run to its end."""
        return RunPhases(record, departure, lambda: _on_over(context))

    @singleton
    @provider
    def limits(self, stop: StopTime, context: RunContext, pages: PageLimit) -> RunLimits:
        """How long completing the run may take, and how many pages it may load."""
        return RunLimits(stop, context.store_timeout_s, pages)


def _on_over(context: RunContext) -> None:
    if isinstance(context.folder, NodeFolder):
        context.folder.note_over(context.run)
    if context.retention is not None:
        context.retention.begin()


def _whose(context: RunContext) -> str:
    """Which pages the counters of this process are of; empty for all of the run."""
    if context.resumed:
        return " read since it was resumed"
    return " that this node has read" if context.cluster is not None else ""
