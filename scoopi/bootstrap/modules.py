"""RunModule: who gets what in a run; a provider hands out what Bootstrap has opened, and makes values.

Longer than other files, because it is a table: one provider a part, in one place to be looked up.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
from injector import Module, provider, singleton
from msgspec.structs import replace

from scoopi.appenders.appender import STORE_PATIENCE_S, Appender
from scoopi.appenders.committed_frames import committed_state
from scoopi.appenders.segment_format import SegmentHeader
from scoopi.appenders.segment_writer import SegmentWriter
from scoopi.bootstrap.address_host import host_of
from scoopi.bootstrap.archive_rules import ArchiveRules
from scoopi.bootstrap.output_wiring import OutputWiring
from scoopi.configs.groups import (
    AppenderSettings,
    ArchiveSettings,
    ClusterSettings,
    EngineSettings,
    FetchLimits,
    JobSettings,
    MetricsSettings,
    TaskLimit,
    WorkerSettings,
)
from scoopi.engine.empty_finds import EmptyFinds
from scoopi.engine.engine import Engine, NodeParts
from scoopi.engine.job_seeder import JobSeeder
from scoopi.engine.node_end import NodeEnd
from scoopi.engine.node_watch import COMMIT, COMMIT_BOUNDS_S, NodeWatch, WatchedParts
from scoopi.engine.run_close import RunClose
from scoopi.engine.stop_time import StopTime
from scoopi.mediator.handover_router import HandoverRouter
from scoopi.mediator.heartbeat import Heartbeat, HeartbeatCalls
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.job_mediator import JobMediator
from scoopi.mediator.job_recovery import JobRecovery, RecoveryCalls
from scoopi.mediator.job_runner import JobRunner
from scoopi.mediator.monitor import Monitor
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.mediator.task_mediator import TaskMediator
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.task_runner import TaskRunner, TaskRunnerCalls
from scoopi.mediator.workers.quarantine import Quarantine
from scoopi.mediator.workers.watchdog import Watchdog
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.mediator.workers.worker_pool import WorkerPool
from scoopi.metrics.metrics_server import MetricsServer
from scoopi.metrics.node_counts import NodeCounts
from scoopi.politeness.host_claims import HostClaims, claims_file
from scoopi.politeness.host_clocks import HostClocks
from scoopi.politeness.host_shares import HostShares, OwnNode
from scoopi.politeness.host_sharing import HostSharing, InFlight
from scoopi.politeness.shared_hosts import SharedHosts
from scoopi.publishing.publisher import Publisher
from scoopi.runs.composed import WorkerPlan, unpacked_locators
from scoopi.runs.node_folder import NodeFolder
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_file import RunFile
from scoopi.runs.run_place import RunPlace
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.departure import Departure
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import Load
from scoopi.store.pages.job_store import JobStore
from scoopi.store.runs.completion_check import RunEnd
from scoopi.store.runs.run_record import RunRecord

SOLO_WINDOWS, CLUSTER_WINDOWS = 2, 8
"""How much is taken ahead: workers that wait for a cluster's answer do nothing."""
SOLO_LEASE_MS = 1000
"""On one machine the folder's lock has told already that who began to seed is gone."""
GRANT_S = 2.0
"""How long a grant holds: a worker that comes later asks for another."""


class RunModule(Module):
    """One node's part of one run.

    Args:
        launch: starts a worker, or hands out one that was started ahead.
    """

    def __init__(self, context: RunContext, launch: Callable[[], WorkerLink]) -> None:
        self._context = context
        self._launch = launch
        self._cluster = context.cluster or ClusterSettings(addresses=())

    # The store's protocol

    @singleton
    @provider
    def jobs(self) -> JobStore:
        return JobStore(self._context.store, self._context.node)

    @singleton
    @provider
    def record(self) -> RunRecord:
        return RunRecord(self._context.store, self._context.node, self._context.canaries)

    @singleton
    @provider
    def members(self) -> Membership:
        context, cluster = self._context, self._cluster
        return Membership(
            context.store, context.node, context.folder.node, cluster.heartbeat_ms, cluster.liveness_gap_ms
        )

    @singleton
    @provider
    def run_end(self, record: RunRecord, jobs: JobStore, members: Membership, held: HeldJobs) -> RunEnd:
        return RunEnd(record, jobs, members, self._context.node, held.load)

    # Counting and the node's state

    @singleton
    @provider
    def counts(self) -> NodeCounts:
        return NodeCounts()

    @singleton
    @provider
    def held(self) -> HeldJobs:
        return HeldJobs()

    @singleton
    @provider
    def state(self) -> StateFlipper:
        return StateFlipper()

    @singleton
    @provider
    def events(self, held: HeldJobs, counts: NodeCounts, state: StateFlipper) -> NodeEvents:
        return NodeEvents(held, counts, state)

    # Workers

    @singleton
    @provider
    def sharing(self, members: Membership) -> HostSharing:
        context, in_flight = self._context, InFlight()
        if context.cluster is None:
            return HostSharing(in_flight)
        view = OwnNode(members.own_beat_is_old, lambda: members.last_look, in_flight.count)
        limits, turn_ms = FetchLimits.of(context.configs), context.cluster.share_turn_ms
        gap_ms = context.cluster.liveness_gap_ms
        return HostSharing(in_flight, HostShares(context.store, context.node, limits, turn_ms, gap_ms, view))

    @singleton
    @provider
    def clocks(self, sharing: HostSharing) -> HostClocks:
        limits = FetchLimits.of(self._context.configs)
        if sharing.shares is not None:
            return HostClocks(
                limits, GRANT_S, time.monotonic, 0.0, sharing.in_flight, sharing.shares.may_send
            )
        first_after_s = limits.delay_ms / 1000 if self._context.resumed else 0.0
        claims = HostClaims(claims_file()) if limits.delay_ms else None
        return HostClocks(limits, GRANT_S, time.monotonic, first_after_s, claims=claims)

    @singleton
    @provider
    def queues(self, clocks: HostClocks) -> TaskQueues:
        return TaskQueues(clocks, time.monotonic)

    @singleton
    @provider
    def pool(self) -> WorkerPool:
        settings = WorkerSettings.of(self._context.configs)
        plan = msgspec.msgpack.encode(self._plan())
        return WorkerPool(self._launch, max(1, settings.workers), plan, settings.most_requests)

    @singleton
    @provider
    def calls(self, events: NodeEvents) -> TaskRunnerCalls:
        return TaskRunnerCalls(events.on_back, events.on_low, events.on_fault)

    @singleton
    @provider
    def router(
        self, clocks: HostClocks, queues: TaskQueues, appender: Appender, counts: NodeCounts
    ) -> HandoverRouter:
        return HandoverRouter(clocks, queues, appender, counts)

    @singleton
    @provider
    def watchdog(self) -> Watchdog:
        return Watchdog(TaskLimit.of(self._context.configs).limit_s, time.monotonic)

    @singleton
    @provider
    def suspects(self, appender: Appender, watchdog: Watchdog) -> Quarantine:
        most = JobSettings.of(self._context.configs).max_crashes
        return Quarantine(most, watchdog.limit_s, appender.put, self._place_of)

    @singleton
    @provider
    def task_runner(
        self,
        pool: WorkerPool,
        queues: TaskQueues,
        clocks: HostClocks,
        router: HandoverRouter,
        suspects: Quarantine,
        watchdog: Watchdog,
        appender: Appender,
        calls: TaskRunnerCalls,
    ) -> TaskRunner:
        return TaskRunner(pool, queues, clocks, router, suspects, watchdog, appender, calls)

    @singleton
    @provider
    def tasks(
        self, runner: TaskRunner, queues: TaskQueues, pool: WorkerPool, calls: TaskRunnerCalls
    ) -> TaskMediator:
        configs = self._context.configs
        ahead_ms = JobSettings.of(configs).prefetch_ms
        windows = SOLO_WINDOWS if self._context.cluster is None else CLUSTER_WINDOWS
        return TaskMediator(runner, queues, pool, FetchLimits.of(configs), ahead_ms, calls, windows)

    # Appending and publishing

    @singleton
    @provider
    def stop(self) -> StopTime:
        limit_s = EngineSettings.of(self._context.configs).shutdown_timeout_s
        hurry = self._context.hurry
        return StopTime(limit_s, time.monotonic, hurry) if hurry is not None else StopTime(limit_s)

    @singleton
    @provider
    def writer(self) -> SegmentWriter:
        context = self._context
        return SegmentWriter(context.folder.segments, SegmentHeader(context.run, context.node))

    @singleton
    @provider
    def appender(
        self, writer: SegmentWriter, jobs: JobStore, record: RunRecord, events: NodeEvents, counts: NodeCounts
    ) -> Appender:
        settings = AppenderSettings.of(self._context.configs)
        return Appender(
            writer,
            jobs,
            settings,
            events.on_ended,
            events.on_fault,
            lambda seconds: counts.observe(COMMIT, seconds, COMMIT_BOUNDS_S),
            self._patience_s() if self._context.cluster else STORE_PATIENCE_S,
            lambda: record.lost(self._context.run),
        )

    @singleton
    @provider
    def output(self, jobs: JobStore, record: RunRecord, stop: StopTime) -> OutputWiring:
        return OutputWiring(self._context, jobs, record, stop)

    @singleton
    @provider
    def publisher(self, output: OutputWiring) -> Publisher:
        return output.publisher()

    # Taking jobs

    @singleton
    @provider
    def archive(self) -> ArchiveRules:
        context = self._context
        return ArchiveRules(
            ArchiveSettings.of(context.configs, context.current_folder),
            context.composed.definitions,
            context.composed.run_date,
            context.configs.text("scoopi.dateTimePattern"),
        )

    @singleton
    @provider
    def job_runner(
        self,
        jobs: JobStore,
        tasks: TaskMediator,
        held: HeldJobs,
        archive: ArchiveRules,
        appender: Appender,
        sharing: HostSharing,
    ) -> JobRunner:
        most = JobSettings.of(self._context.configs).max_takes
        shared = (
            SharedHosts(sharing.shares, jobs, tasks.needed_hosts, tasks.wanted)
            if sharing.shares is not None
            else None
        )
        return JobRunner(jobs, tasks, held, most, archive.is_fresh, appender.put, shared)

    @singleton
    @provider
    def monitor(self, held: HeldJobs, state: StateFlipper, end: RunEnd) -> Monitor:
        period_ms = EngineSettings.of(self._context.configs).monitor_period_ms
        return Monitor(held, state, end.is_over, period_ms)

    @singleton
    @provider
    def recovery(
        self,
        members: Membership,
        jobs: JobStore,
        record: RunRecord,
        held: HeldJobs,
        runner: JobRunner,
        tasks: TaskMediator,
        state: StateFlipper,
    ) -> JobRecovery:
        context = self._context
        segment = context.folder.segments / f"{context.node}.seg"
        calls = RecoveryCalls(
            lambda job, fence: committed_state(segment, job, fence),
            runner.wake,
            tasks.recall,
            state.run_is_over,
            keep=context.keep,
        )
        return JobRecovery(members, jobs, record, held, context.run, calls)

    @singleton
    @provider
    def heartbeat(
        self,
        members: Membership,
        recovery: JobRecovery,
        held: HeldJobs,
        counts: NodeCounts,
        events: NodeEvents,
        monitor: Monitor,
        state: StateFlipper,
        tasks: TaskMediator,
    ) -> Heartbeat:
        cancel = self._context.cancel
        calls = HeartbeatCalls(
            events.on_fault,
            monitor.wake,
            cancel.is_asked if cancel is not None else lambda: False,
            state.cancel,
            tasks.given,
        )
        return Heartbeat(
            members, recovery, self._load(held, counts), calls, self._heartbeat_s(), self._round_s()
        )

    @singleton
    @provider
    def departure(
        self, members: Membership, held: HeldJobs, counts: NodeCounts, heartbeat: Heartbeat
    ) -> Departure:
        return Departure(members, self._load(held, counts), heartbeat.stop, self._heartbeat_s())

    @singleton
    @provider
    def job_mediator(
        self, runner: JobRunner, monitor: Monitor, heartbeat: Heartbeat, events: NodeEvents
    ) -> JobMediator:
        return JobMediator(runner, monitor, heartbeat, events.on_fault)

    # The engine

    @singleton
    @provider
    def seeder(self, jobs: JobStore, record: RunRecord) -> JobSeeder:
        context = self._context
        lease_ms = SOLO_LEASE_MS if context.cluster is None else self._cluster.liveness_gap_ms
        barricade = Barricade(context.store, f"seed/{context.run}", context.node, lease_ms)
        patience_s = self._patience_s() if context.cluster else 0.0
        return JobSeeder(jobs, record, host_of, barricade, context.run, patience_s, context.on_seeded)

    @singleton
    @provider
    def node_end(
        self,
        jobs: JobMediator,
        tasks: TaskMediator,
        appender: Appender,
        held: HeldJobs,
        state: StateFlipper,
    ) -> NodeEnd:
        return NodeEnd(jobs, tasks, appender, held, state)

    @singleton
    @provider
    def run_close(
        self,
        output: OutputWiring,
        publisher: Publisher,
        jobs: JobStore,
        record: RunRecord,
        counts: NodeCounts,
        heartbeat: Heartbeat,
        departure: Departure,
        stop: StopTime,
    ) -> RunClose:
        context = self._context
        place = RunPlace(
            run=context.folder.path.name,
            folder=context.folder.path,
            incarnation=context.run,
            publishes_parts=output.publishes_parts,
            resume=context.resume_command(),
            was_over=context.was_over,
            is_alone=context.cluster is None,
        )
        file = RunFile(context.folder.path, context.folder.node_folder, context.cluster is not None)
        patience_s = self._patience_s() if context.cluster else 0.0
        rows = output.rows(publisher, departure)
        return RunClose(
            place,
            publisher,
            rows,
            jobs,
            record,
            file,
            counts,
            heartbeat,
            departure,
            patience_s,
            self._on_over,
            self._empty(counts).told,
            stop,
        )

    @singleton
    @provider
    def parts(
        self,
        seeder: JobSeeder,
        appender: Appender,
        tasks: TaskMediator,
        jobs: JobMediator,
        events: NodeEvents,
        state: StateFlipper,
        end: NodeEnd,
        runner: JobRunner,
        monitor: Monitor,
    ) -> NodeParts:
        events.connect(runner, tasks, monitor)
        return NodeParts(seeder, appender, tasks, jobs, events, state, end)

    @singleton
    @provider
    def metrics(self, parts: NodeParts, held: HeldJobs, counts: NodeCounts, jobs: JobStore) -> MetricsServer:
        context = self._context
        watched = WatchedParts(parts.appender, parts.tasks, parts.jobs, parts.events, parts.state, held)
        watch = NodeWatch(context.folder.path.name, context.folder.node, watched, counts, jobs.left)
        settings = MetricsSettings.of(context.configs)
        if context.joining is not None:
            context.joining.becomes(watch)
            settings = replace(settings, enable=False)
        return MetricsServer(settings, watch)

    @singleton
    @provider
    def engine(
        self,
        parts: NodeParts,
        close: RunClose,
        jobs: JobStore,
        counts: NodeCounts,
        metrics: MetricsServer,
        stop: StopTime,
    ) -> Engine:
        context = self._context
        packed = context.composed.locators
        return Engine(
            parts,
            close,
            jobs,
            counts,
            lambda: unpacked_locators(packed),
            context.watch,
            metrics,
            stop,
            self._patience_s() if context.cluster else STORE_PATIENCE_S,
            context.tell,
        )

    def _on_over(self) -> None:
        context = self._context
        if isinstance(context.folder, NodeFolder):
            context.folder.note_over(context.run)
        if context.retention is not None:
            context.retention.begin()

    def _empty(self, counts: NodeCounts) -> EmptyFinds:
        context = self._context
        whose = " that this node has read" if context.cluster is not None else ""
        if context.resumed:
            whose = " read since it was resumed"
        return EmptyFinds(context.composed.definitions.data_defs, counts, whose)

    def _load(self, held: HeldJobs, counts: NodeCounts) -> Callable[[], Load]:
        return lambda: held.load()._replace(pages=int(counts.value("pages")))

    def _heartbeat_s(self) -> float:
        return self._cluster.heartbeat_ms / 1000

    def _round_s(self) -> float:
        return self._cluster.liveness_gap_ms / 1000

    def _patience_s(self) -> float:
        """So long a cluster may be away; after it the client itself gives up."""
        return self._cluster.reconnect_timeout_ms / 1000

    def _place_of(self, group: str, task: str) -> str:
        tasks = self._context.composed.definitions.task_groups[group].tasks
        return str(next((each.place for each in tasks if each.name == task), tasks[0].place))

    def _plan(self) -> WorkerPlan:
        context = self._context
        return WorkerPlan(
            definitions=context.composed.definitions,
            configs=context.configs.composed(),
            run_date=context.composed.run_date,
            current_folder=context.composed.current_folder,
            defs_source=context.composed.defs_source,
            is_cluster=context.cluster is not None,
            secrets=context.configs.secrets,
        )
