"""RowsModule: the parts that make rows durable, publish them, and complete the run."""

from __future__ import annotations

import time

from injector import Binder, Module, provider, singleton

from scoopi.appenders.appender import STORE_TIMEOUT_S, Appender, CommitEvents
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.bootstrap.wiring.output_wiring import OutputWiring
from scoopi.configs.groups import AppenderSettings, EngineSettings
from scoopi.engine.entry_times import EntryTimes
from scoopi.engine.field_coverage import FieldCoverage
from scoopi.engine.node_watch import COMMIT, COMMIT_BOUNDS_S
from scoopi.engine.run_completion import Presence, RunLimits
from scoopi.engine.run_reporter import EmptyEntries, RunNotes, RunReporter
from scoopi.engine.stop_time import StopTime
from scoopi.mediator.budgets.page_budgets import PageBudgets
from scoopi.mediator.budgets.page_limit import PageLimit
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.metrics.node_counts import NodeCounts
from scoopi.publishing.live_loads import LiveLoads
from scoopi.publishing.publisher import Publisher
from scoopi.publishing.run_rows import RunPhases, RunRows
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_file import RunFile, RunPlace
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.departure import Departure
from scoopi.store.runs.run_record import RunRecord


class RowsModule(Module):
    """The parts from results to finished files."""

    def configure(self, binder: Binder) -> None:
        """Bind the classes that the injector can construct."""
        for part in (EntryTimes, NodeCounts, OutputWiring, Presence):
            binder.bind(part, scope=singleton)

    @singleton
    @provider
    def stop(self, settings: EngineSettings, context: RunContext) -> StopTime:
        """Whether this node must stop, and its deadline."""
        limit_s, deadline = settings.shutdown_timeout_s, context.set_deadline
        return StopTime(limit_s, time.monotonic, deadline) if deadline is not None else StopTime(limit_s)

    @singleton
    @provider
    def writer(self, context: RunContext) -> SegmentWriter:
        """The segment file of this process."""
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
        """Commits results and finishes their jobs."""
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
            lambda: record.has_lost(context.run),
        )

    @singleton
    @provider
    def live_loads(self, output: OutputWiring) -> LiveLoads:
        """Fills tables while the run is in progress."""
        return output.live_loads()

    @singleton
    @provider
    def publisher(self, output: OutputWiring, live: LiveLoads) -> Publisher:
        """Publishes this node's own rows."""
        return output.publisher(live)

    @singleton
    @provider
    def rows(
        self, output: OutputWiring, publisher: Publisher, departure: Departure, live: LiveLoads
    ) -> RunRows:
        """Decides which rows this node publishes at the end of the run."""
        return output.rows(publisher, departure, live)

    @singleton
    @provider
    def place(self, context: RunContext) -> RunPlace:
        """The name, folder and commands of the run."""
        outputs = context.plain_outputs or context.outputs
        return RunPlace(
            run=context.folder.path.name,
            folder=context.folder.path,
            incarnation=context.run,
            resume=context.resume_command(),
            was_over=context.was_over,
            is_alone=context.cluster is None,
            retry=context.command("retry"),
            definitions=context.composed.defs_source,
            grids={each.output: each.grid for each in outputs if each.grid is not None},
        )

    @singleton
    @provider
    def field_coverage(self, context: RunContext, counts: NodeCounts) -> FieldCoverage:
        """Figures of the fields of records, from the pages that this process has read."""
        definitions = context.composed.definitions
        tasks = (task for group in definitions.task_groups.values() for task in group.tasks)
        links = {task.data_def: task.links for task in tasks if task.links}
        return FieldCoverage(definitions.record_defs, counts, _whose(context), links)

    @singleton
    @provider
    def empty_entries(self, context: RunContext, counts: NodeCounts) -> EmptyEntries:
        """Selectors that found nothing on the pages that this process has read."""
        return EmptyEntries(context.composed.definitions.data_defs, counts, _whose(context))

    @singleton
    @provider
    def notes(
        self,
        empty: EmptyEntries,
        records: FieldCoverage,
        budget: RetryBudget,
        pages: PageBudgets,
        times: EntryTimes,
    ) -> RunNotes:
        """Notes that the report adds to its figures."""
        return RunNotes(
            lambda: (*empty.sentences(), *records.sentences()),
            budget.used_up,
            records.figures,
            pages.used_up,
            pages.reason,
            times.slowest,
        )

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
        """Makes the report of the run."""
        file = RunFile(context.folder.path, context.folder.node_folder, context.cluster is not None)
        return RunReporter(place, file, jobs, record, counts, notes)

    @singleton
    @provider
    def phases(self, record: RunRecord, departure: Departure, context: RunContext) -> RunPhases:
        """Moves the run through its final phases."""
        return RunPhases(record, departure, lambda: _on_over(context))

    @singleton
    @provider
    def limits(self, stop: StopTime, context: RunContext, pages: PageLimit) -> RunLimits:
        """Limits of completing the run; how long the store is retried follows from the kind of run."""
        return RunLimits(stop, context.store_timeout_s, pages)


def _on_over(context: RunContext) -> None:
    if isinstance(context.folder, NodeFolder):
        context.folder.note_over(context.run)
    if context.retention is not None:
        context.retention.begin()


def _whose(context: RunContext) -> str:
    """The pages that the counters of this process cover, as part of a sentence; empty for all of the run."""
    if context.resumed:
        return " read since it was resumed"
    return " that this node has read" if context.cluster is not None else ""
