"""JobsModule: the parts that take jobs from the store, monitor the run, and send heartbeats."""

from __future__ import annotations

import math
from collections.abc import Callable

from injector import Binder, InstanceProvider, Module, provider, singleton

from scoopi.appenders.appender import Appender
from scoopi.appenders.segment_reader import committed_state
from scoopi.archive.archive_rules import ArchiveRules
from scoopi.configs.groups import (
    ArchiveSettings,
    BudgetSettings,
    ClusterSettings,
    JobSettings,
)
from scoopi.mediator.budgets.page_budgets import BudgetRules, PageBudgets
from scoopi.mediator.budgets.page_limit import PageLimit
from scoopi.mediator.heartbeat import Heartbeat, HeartbeatCalls
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.inboxes import JobInbox, TaskInbox
from scoopi.mediator.job_mediator import JobMediator
from scoopi.mediator.job_recovery import JobRecovery, RecoveryCalls
from scoopi.mediator.job_runner import JobRunner
from scoopi.mediator.monitor import Monitor
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.mediator.sessions import Sessions
from scoopi.mediator.shared_sessions import SharedSessions
from scoopi.mediator.state_flipper import StateFlipper
from scoopi.mediator.taken_job_rules import TakenJobRules
from scoopi.mediator.task_mediator import TaskMediator
from scoopi.mediator.workers.job_dispatcher import JobDispatcher
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.limits.budget import Budget
from scoopi.model.site_session import Session
from scoopi.model.sites import Sites
from scoopi.politeness.host_pauses import HostPauses
from scoopi.politeness.host_sharing import HostSharing
from scoopi.politeness.robots.robots_cache import RobotsCache
from scoopi.politeness.shared_hosts import SharedHosts
from scoopi.runs.run_context import RunContext
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.departure import Departure
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.store.runs.completion_check import CompletionCheck
from scoopi.store.runs.run_record import RunRecord
from scoopi.store.runs.shared_counts import PAGES, SharedCounts


class JobsModule(Module):
    """The threads `job-runner`, `monitor` and `heartbeat`, and the state that they share."""

    def configure(self, binder: Binder) -> None:
        """Bind the classes that the injector can construct."""
        for part in (HeldJobs, JobInbox, JobMediator, Monitor, NodeEvents, StateFlipper):
            binder.bind(part, scope=singleton)

    @singleton
    @provider
    def archive(self, settings: ArchiveSettings, context: RunContext) -> ArchiveRules:
        """The rules of the archive."""
        composed = context.composed
        pattern = context.configs.text("scoopi.dateTimePattern")
        return ArchiveRules(settings, composed.definitions, composed.run_date, pattern)

    @singleton
    @provider
    def job_runner(
        self,
        jobs: JobStore,
        tasks: TaskMediator,
        held: HeldJobs,
        inbox: JobInbox,
        rules: TakenJobRules,
        dispatcher: JobDispatcher,
        sharing: HostSharing,
    ) -> JobRunner:
        """Takes jobs; in a cluster only those of hosts of which this node has a share."""
        shares = sharing.shares
        shared = None if shares is None else SharedHosts(shares, jobs, dispatcher.needed_hosts, tasks.wanted)
        return JobRunner(jobs, tasks, held, inbox, rules, shared)

    @singleton
    @provider
    def taken_job_rules(
        self,
        settings: JobSettings,
        archive: ArchiveRules,
        appender: Appender,
        budget: RetryBudget,
        context: RunContext,
        robots: RobotsCache,
        limit: PageLimit,
        pauses: HostPauses,
        pages: PageBudgets,
        held: HeldJobs,
    ) -> TakenJobRules:
        """The rules and callbacks for jobs that were taken."""
        counts = SharedCounts(context.store, context.node)
        is_fresh, share = archive.is_fresh, lambda: budget.share(counts)
        own_pauses = pauses if context.cluster is None else None
        page_counts = SharedCounts(context.store, context.node, PAGES)
        return TakenJobRules(
            max_takes=settings.max_takes,
            is_archived=is_fresh,
            end=appender.put,
            on_postponed=share,
            robots=robots,
            pauses=own_pauses,
            limit=limit,
            budgets=pages,
            has_room=appender.has_room,
            share_budgets=lambda *, at_once: pages.share(page_counts, at_once=at_once, held=held.ids),
        )

    @singleton
    @provider
    def budgets(self, settings: BudgetSettings, sites: Sites, context: RunContext) -> PageBudgets:
        """The budgets of the run, its groups and its hosts."""
        groups = context.composed.definitions.task_groups.values()
        return PageBudgets(
            BudgetRules(
                settings.budget(),
                {group.name: group.budget for group in groups if group.budget.is_set},
                lambda host: Budget.of(sites.for_host(host).budget),
                has_hosts=any(block.values.get("budget") for block in context.composed.definitions.sites),
            )
        )

    @singleton
    @provider
    def recovery_calls(
        self, inbox: JobInbox, tasks: TaskMediator, state: StateFlipper, context: RunContext
    ) -> RecoveryCalls:
        """The callbacks of recovery."""
        segment = context.folder.segments / f"{context.node}.seg"
        return RecoveryCalls(
            lambda job, fence: committed_state(segment, job, fence),
            inbox.adopt,
            inbox.wake,
            tasks.recall,
            state.finish,
            keep=context.keep,
        )

    @singleton
    @provider
    def recovery(
        self,
        membership: Membership,
        jobs: JobStore,
        record: RunRecord,
        held: HeldJobs,
        calls: RecoveryCalls,
        context: RunContext,
    ) -> JobRecovery:
        """Takes back the jobs of dead nodes; the run's id is a text, which has no binding."""
        return JobRecovery(membership, jobs, record, held, context.run, calls)

    @singleton
    @provider
    def heartbeat_calls(
        self,
        events: NodeEvents,
        monitor: Monitor,
        state: StateFlipper,
        tasks: TaskMediator,
        context: RunContext,
        inbox: TaskInbox,
        sessions: Sessions,
        shared: SharedSessions,
    ) -> HeartbeatCalls:
        """The callbacks of the heartbeat."""
        is_cancelled = context.cancel.is_asked if context.cancel is not None else lambda: False

        def learn(session: Session) -> None:
            inbox.post(lambda: sessions.learn(session))

        return HeartbeatCalls(
            events.on_fault,
            monitor.wake,
            is_cancelled,
            state.cancel,
            tasks.given,
            lambda: shared.round(learn),
        )

    @singleton
    @provider
    def heartbeat(
        self,
        membership: Membership,
        recovery: JobRecovery,
        held: HeldJobs,
        counts: NodeCounts,
        calls: HeartbeatCalls,
        cluster: ClusterSettings,
    ) -> Heartbeat:
        """Signals to the other nodes that this one is alive."""
        beat_s, round_s = cluster.heartbeat_ms / 1000, cluster.liveness_gap_ms / 1000
        return Heartbeat(membership, recovery, _load_of(held, counts), calls, beat_s, round_s)

    @singleton
    @provider
    def departure(
        self,
        membership: Membership,
        held: HeldJobs,
        counts: NodeCounts,
        heartbeat: Heartbeat,
        cluster: ClusterSettings,
    ) -> Departure:
        """How this node leaves the run."""
        return Departure(membership, _load_of(held, counts), heartbeat.stop, cluster.heartbeat_ms / 1000)


def _load_of(held: HeldJobs, counts: NodeCounts) -> Callable[[], NodeLoad]:
    def load() -> NodeLoad:
        next_s = held.waiting.next_in()
        retry_ms = math.ceil(next_s * 1000) if next_s < math.inf else 0
        return held.load()._replace(pages=int(counts.value("pages")), retry_ms=retry_ms)

    return load


class StoreModule(Module):
    """The classes of the protocol over the run's store. Each writes for this node's incarnation."""

    def __init__(self, context: RunContext) -> None:
        self._context = context

    def configure(self, binder: Binder) -> None:
        """Bind the classes that need the store only."""
        store, node = self._context.store, self._context.node
        binder.bind(JobStore, to=InstanceProvider(JobStore(store, node)))
        binder.bind(RunRecord, to=InstanceProvider(RunRecord(store, node, self._context.canaries)))

    @singleton
    @provider
    def membership(self, context: RunContext, cluster: ClusterSettings) -> Membership:
        """The nodes of the run."""
        node, gap_ms = context.folder.node, cluster.liveness_gap_ms
        return Membership(context.store, context.node, node, cluster.heartbeat_ms, gap_ms)

    @singleton
    @provider
    def run_end(
        self, record: RunRecord, jobs: JobStore, membership: Membership, held: HeldJobs, context: RunContext
    ) -> CompletionCheck:
        """Whether every job of the run has finished; the store gets the node's load, not its jobs."""
        return CompletionCheck(record, jobs, membership, context.node, held.load)
