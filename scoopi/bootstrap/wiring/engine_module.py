"""EngineModule: the engine, the seeder of the run, and the node's metrics."""

from __future__ import annotations

from injector import Binder, Module, provider, singleton
from msgspec.structs import replace

from scoopi.appenders.appender import STORE_TIMEOUT_S
from scoopi.configs.groups import ClusterSettings, MetricsSettings
from scoopi.engine.engine import Engine, EngineCalls, NodeParts, ProgressSource
from scoopi.engine.job_seeder import JobSeeder, SeedCalls
from scoopi.engine.node_watch import NodeWatch, WatchedParts
from scoopi.engine.run_completion import RunCompletion, RunLimits
from scoopi.engine.shutdown import Shutdown
from scoopi.fetch.address import host_of
from scoopi.metrics.metrics_server import MetricsServer
from scoopi.metrics.node_counts import NodeCounts
from scoopi.metrics.node_endpoints import NodeEndpoints
from scoopi.runs.composed import may_add_pages, unpacked_locators
from scoopi.runs.run_context import RunContext
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.runs.run_record import RunRecord

SOLO_LEASE_MS = 1000
"""Short, as on one machine the lock of the run's folder proves that an earlier process is dead."""


class EngineModule(Module):
    """The engine, and the parts that only it starts."""

    def configure(self, binder: Binder) -> None:
        """Bind the classes that the injector can construct."""
        for part in (NodeParts, ProgressSource, RunCompletion, Shutdown, WatchedParts):
            binder.bind(part, scope=singleton)

    @singleton
    @provider
    def seeder(
        self, jobs: JobStore, record: RunRecord, context: RunContext, cluster: ClusterSettings
    ) -> JobSeeder:
        """Seeds the jobs of all locators."""
        lease_ms = SOLO_LEASE_MS if context.cluster is None else cluster.liveness_gap_ms
        barricade = Barricade(context.store, f"seed/{context.run}", context.node, lease_ms)
        groups = context.composed.definitions.task_groups.values()
        once_groups = frozenset(group.name for group in groups if not group.uses_locator)
        parents = {group.name: group.parents for group in groups}
        fragments = frozenset(group.name for group in groups if group.has_page_each_fragment)
        calls = SeedCalls(host_of, context.on_seeded, once_groups, parents, fragments)
        return JobSeeder(jobs, record, barricade, context.run, calls, context.store_timeout_s)

    @singleton
    @provider
    def watch(
        self, parts: WatchedParts, counts: NodeCounts, jobs: JobStore, context: RunContext
    ) -> NodeWatch:
        """The node's figures."""
        folder = context.folder
        return NodeWatch(folder.path.name, folder.node, parts, counts, jobs.left)

    @singleton
    @provider
    def metrics(self, settings: MetricsSettings, watch: NodeWatch, context: RunContext) -> MetricsServer:
        """Serves the figures; in a cluster the server that was started for joining does."""
        if context.joining is not None:
            context.joining.becomes(watch)
            settings = replace(settings, enable=False)
        return MetricsServer(settings, NodeEndpoints(watch))

    @singleton
    @provider
    def calls(self, context: RunContext) -> EngineCalls:
        """The callbacks of the engine."""
        packed = context.composed.locators
        adds_pages = may_add_pages(context.composed.definitions)
        return EngineCalls(lambda: unpacked_locators(packed), context.watch, context.notify, adds_pages)

    @singleton
    @provider
    def engine(
        self,
        parts: NodeParts,
        completion: RunCompletion,
        progress: ProgressSource,
        metrics: MetricsServer,
        calls: EngineCalls,
        limits: RunLimits,
    ) -> Engine:
        """The engine; it retries the first heartbeat also on one machine."""
        limits = replace(limits, store_timeout_s=limits.store_timeout_s or STORE_TIMEOUT_S)
        return Engine(parts, completion, progress, metrics, calls, limits)
