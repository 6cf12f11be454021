"""StoreModule: the protocol over the run's store."""

from __future__ import annotations

from injector import Module, provider, singleton

from scoopi.configs.groups import ClusterSettings
from scoopi.mediator.held_jobs import HeldJobs
from scoopi.runs.run_context import RunContext
from scoopi.store.nodes.membership import Membership
from scoopi.store.pages.job_store import JobStore
from scoopi.store.ports import Store
from scoopi.store.runs.completion_check import CompletionCheck
from scoopi.store.runs.run_record import RunRecord


class StoreModule(Module):
    """Each class of the protocol knows the incarnation that it writes for."""

    @singleton
    @provider
    def jobs(self, store: Store, context: RunContext) -> JobStore:
        """The jobs of the run."""
        return JobStore(store, context.node)

    @singleton
    @provider
    def record(self, store: Store, context: RunContext) -> RunRecord:
        """The phase of the run."""
        return RunRecord(store, context.node, context.canaries)

    @singleton
    @provider
    def members(self, store: Store, context: RunContext, cluster: ClusterSettings) -> Membership:
        """The nodes of the run."""
        node, gap_ms = context.folder.node, cluster.liveness_gap_ms
        return Membership(store, context.node, node, cluster.heartbeat_ms, gap_ms)

    @singleton
    @provider
    def run_end(
        self, record: RunRecord, jobs: JobStore, members: Membership, held: HeldJobs, context: RunContext
    ) -> CompletionCheck:
        """Whether every job of the run has finished."""
        return CompletionCheck(record, jobs, members, context.node, held.load)
