"""WorkersModule: the parts that give jobs to workers, within the hosts' limits, and collect the results."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import msgspec
from injector import Binder, Module, provider, singleton

from scoopi.appenders.appender import Appender
from scoopi.configs.groups import (
    ClusterSettings,
    JobSettings,
    PolitenessSettings,
    TaskLimit,
    WorkerSettings,
)
from scoopi.fetch.address import host_of, url_of
from scoopi.mediator.budgets.page_budgets import PageBudgets
from scoopi.mediator.inboxes import JobInbox, TaskInbox
from scoopi.mediator.node_events import NodeEvents
from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.mediator.retries.retry_handler import RetryHandler
from scoopi.mediator.sessions import Sessions
from scoopi.mediator.shared_sessions import SharedSessions
from scoopi.mediator.task_mediator import Prefetch, TaskMediator
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.task_runner import TaskRunner, TaskRunnerCalls
from scoopi.mediator.workers.denied_jobs import DeniedJobs
from scoopi.mediator.workers.job_dispatcher import JobDispatcher
from scoopi.mediator.workers.message_router import MessageRouter
from scoopi.mediator.workers.quarantine import Quarantine
from scoopi.mediator.workers.robots_gate import RobotsGate
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.mediator.workers.worker_pool import WorkerPool
from scoopi.model.limits.retry_policy import RetryPolicy
from scoopi.model.sites import Sites
from scoopi.politeness.host_pauses import HostPauses
from scoopi.politeness.host_rate_limiter import HostRateLimiter, RateLimiterRules
from scoopi.politeness.host_shares import HostShares, OwnNode, ShareTimes
from scoopi.politeness.host_sharing import HostSharing, InFlight
from scoopi.politeness.machine_rate_limiter import MachineRateLimiter, machine_file
from scoopi.politeness.request_log import PREFIX, SUFFIX, RequestLog
from scoopi.politeness.robots.robots_cache import RobotsCache
from scoopi.politeness.robots.robots_store import RobotsStore
from scoopi.runs.run_context import RunContext
from scoopi.store.nodes.membership import Membership

log = logging.getLogger(__name__)

SOLO_WINDOWS, CLUSTER_WINDOWS = 2, 8
"""Number of prefetched batches; more in a cluster, so that workers do not wait for the store."""


class WorkersModule(Module):
    """The pool of workers and its event loop.

    Args:
        launch: starts a worker, or returns one that was started in advance.
    """

    def __init__(self, launch: Callable[[], WorkerLink]) -> None:
        self._launch = launch

    def configure(self, binder: Binder) -> None:
        """Bind the classes that the injector can construct."""
        for part in (MessageRouter, JobDispatcher, Sessions, TaskInbox, TaskQueues, TaskRunner):
            binder.bind(part, scope=singleton)

    @singleton
    @provider
    def sharing(
        self, context: RunContext, membership: Membership, sites: Sites, cluster: ClusterSettings
    ) -> HostSharing:
        """How the nodes of a cluster share hosts; on one machine there is nothing to share."""
        in_flight = InFlight()
        if context.cluster is None:
            return HostSharing(in_flight)
        own = OwnNode(membership.own_beat_is_old, lambda: membership.last_scan, in_flight.count)
        times = ShareTimes(cluster.share_turn_ms, cluster.liveness_gap_ms)
        return HostSharing(in_flight, HostShares(context.store, context.node, sites, times, own))

    @singleton
    @provider
    def pauses(self, context: RunContext, jobs: JobInbox) -> HostPauses:
        """The pauses of hosts in a run on one machine; politeness, a lower room, gets a wake-up, no inbox."""
        return HostPauses(context.store, context.node, jobs.wake)

    @singleton
    @provider
    def limiter(
        self,
        context: RunContext,
        sites: Sites,
        sharing: HostSharing,
        rules: PolitenessSettings,
        pauses: HostPauses,
    ) -> HostRateLimiter:
        """When the next request to each host may be sent."""
        file = context.folder.node_folder / f"{PREFIX}{context.node}{SUFFIX}"
        log, machine = RequestLog(file), MachineRateLimiter(machine_file())
        if sharing.shares is not None:
            shares = sharing.shares
            all_nodes = RateLimiterRules(
                hosts=rules, on_rest=shares.pause, on_slower=shares.slow_down, machine=machine
            )
            return HostRateLimiter(sites, time.monotonic, all_nodes, sharing.in_flight, shares.share_of, log)
        first_after_s = sites.longest_delay_ms / 1000 if context.resumed else 0.0
        alone = RateLimiterRules(
            first_after_s, rules, pauses.note, resting_until=pauses.until, machine=machine
        )
        return HostRateLimiter(sites, time.monotonic, alone, log=log)

    @singleton
    @provider
    def robots_cache(
        self, context: RunContext, membership: Membership, jobs: JobInbox, tasks: TaskInbox
    ) -> RobotsCache:
        """The robots.txt files known to this node; on one machine, also those that dead processes left."""
        kept = RobotsStore(context.store, context.node, _is_gone(context, membership))
        return RobotsCache(kept, jobs.wake, tasks.wake)

    @singleton
    @provider
    def robots(
        self, cache: RobotsCache, queues: TaskQueues, limiter: HostRateLimiter, sites: Sites
    ) -> RobotsGate:
        """Applies robots.txt to jobs."""
        return RobotsGate(cache, queues, limiter, url_of, _robots_off(sites))

    @singleton
    @provider
    def pool(self, settings: WorkerSettings, context: RunContext) -> WorkerPool:
        """The workers; at least one, which may be a thread."""
        plan = msgspec.msgpack.encode(context.worker_plan())
        return WorkerPool(self._launch, max(1, settings.workers), plan, settings.most_requests)

    @singleton
    @provider
    def shared_sessions(self, context: RunContext, sites: Sites, membership: Membership) -> SharedSessions:
        """The sessions of sites in the store."""
        is_alone, is_gone = context.cluster is None, _is_gone(context, membership)
        return SharedSessions(context.store, sites.sessions, context.node, is_alone, is_gone)

    @singleton
    @provider
    def calls(self, events: NodeEvents, inbox: JobInbox, appender: Appender) -> TaskRunnerCalls:
        """The callbacks of the task runner, which would have too many parts with the owners of these."""
        return TaskRunnerCalls(
            events.hand_back,
            inbox.wake,
            events.on_fault,
            appender.has_room,
            appender.flush,
            inbox.note_sending,
        )

    @singleton
    @provider
    def retries(self, sites: Sites, budget: RetryBudget, inbox: JobInbox, pages: PageBudgets) -> RetryHandler:
        """Decides which failed loads are retried, and when."""
        return RetryHandler(lambda host: RetryPolicy.of(sites.for_host(host).retry), budget, inbox, pages)

    @singleton
    @provider
    def quarantine(
        self,
        settings: JobSettings,
        limit: TaskLimit,
        appender: Appender,
        context: RunContext,
        robots: RobotsGate,
    ) -> Quarantine:
        """Quarantines jobs that were in a worker when it crashed."""
        crashes, limit_s = settings.max_crashes, limit.limit_s
        return Quarantine(crashes, limit_s, appender.put, context.place_of, robots.lost)

    @singleton
    @provider
    def denied(self, appender: Appender, context: RunContext) -> DeniedJobs:
        """Ends jobs whose pages must not be requested."""
        return DeniedJobs(appender.put, context.place_of, context.tasks_of)

    @singleton
    @provider
    def tasks(
        self,
        runner: TaskRunner,
        inbox: TaskInbox,
        queues: TaskQueues,
        pool: WorkerPool,
        prefetch: Prefetch,
        events: NodeEvents,
    ) -> TaskMediator:
        """The interface of the task runner for other threads; of the events it may only report a fault."""
        return TaskMediator(runner, inbox, queues, pool, prefetch, events.on_fault)

    @singleton
    @provider
    def prefetch(self, settings: JobSettings, context: RunContext) -> Prefetch:
        """How many jobs of a host are prefetched."""
        windows = SOLO_WINDOWS if context.cluster is None else CLUSTER_WINDOWS
        return Prefetch(settings.prefetch_ms, windows)


def _is_gone(context: RunContext, membership: Membership) -> Callable[[str], bool]:
    """A test of whether another incarnation is dead or has left; on one machine, all others have."""

    def is_gone(incarnation: str) -> bool:
        scan = membership.last_scan
        return context.cluster is None or incarnation in scan.dead or incarnation in scan.left

    return is_gone


def _robots_off(sites: Sites) -> Callable[[str], bool]:
    """A test of whether robots.txt is ignored at the host of a URL; logs it once per host."""
    if not sites.differ_in_robots:
        is_off = not sites.defaults.robots
        if is_off:
            log.info("robots.txt is not followed (scoopi.loader.robots)")
        return lambda url: is_off
    logged: set[str] = set()

    def is_off_at(url: str) -> bool:
        host = host_of(url)
        if sites.for_host(host).robots:
            return False
        if host not in logged:
            logged.add(host)
            at = sites.origins(host).get("robots", "scoopi.loader.robots")
            log.info("host %s: robots.txt is not followed (%s)", host, at)
        return True

    return is_off_at
