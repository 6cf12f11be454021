"""RunSurvey: reads what the store knows of a run, and changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from scoopi.model.job import JobState
from scoopi.model.report.run_figures import HostFigures, JobFigures, NodeFigures, RunFigures, ShareFigures
from scoopi.politeness.host_share_memory import HostRecords
from scoopi.runs.cluster.cluster_runs import HeartbeatSample
from scoopi.store.jobs.job_records import taken_state_key
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.departure import awaited_nodes
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeRecord, NodeStatus
from scoopi.store.ports import HOSTS, JOBS, Store, pages
from scoopi.store.runs.run_record import RunPhase, RunRecord

NOBODY = ""
PAGE = 1000
ALIVE = "alive"
EndCounts = Counter[tuple[str, JobState]]


class RunSurvey:
    """Reads what the store knows of a run, and changes nothing.

    Counts by scans, as the nodes themselves do (ARCHITECTURE, protocol rule 12).

    Every method raises StoreError when the store does not answer.

    Args:
        store: the store of the run.
        run: its name.
        heartbeat_ms: milliseconds between two heartbeats of a node of the run.
    """

    def __init__(self, store: Store, run: str, heartbeat_ms: int) -> None:
        self._store = store
        self._run = run
        self._jobs = JobStore(store, NOBODY)
        self._hosts = HostRecords(NOBODY)
        membership = Membership(store, NOBODY, NOBODY)
        self._sample = HeartbeatSample(membership.read, heartbeat_ms / 1000)

    def figures(self) -> RunFigures:
        """All figures of the run; samples a few heartbeats while nodes are live."""
        state = RunRecord(self._store, NOBODY).read()
        records = self._sample.take()
        if state is None:
            return self._not_begun(records)
        taken = {key: self._store.count(JOBS, taken_state_key(key)) for key in records}
        ends = self._ends()
        return RunFigures(
            run=self._run,
            phase=str(state.phase),
            seeded=state.seeded,
            nodes=self._nodes(records, taken, ends),
            jobs=self._job_figures(records, sum(taken.values()), ends),
            hosts=() if state.phase is RunPhase.OVER else self._host_figures(records),
            awaiting=self._awaiting(records, ends) if state.phase is RunPhase.ENDING else (),
        )

    def _not_begun(self, records: Mapping[str, NodeRecord]) -> RunFigures:
        nodes = self._nodes(records, {}, Counter())
        waits = any(node.state == ALIVE for node in nodes)
        phase = "WAITING" if waits else "ABANDONED" if nodes else "LOST"
        return RunFigures(self._run, phase, nodes=nodes)

    def _ends(self) -> EndCounts:
        """How many jobs have ended, by incarnation and state."""
        ends: EndCounts = Counter()
        for page in self._jobs.finished.pages():
            ends.update((end.incarnation, end.state) for _, end in page)
        return ends

    def _job_figures(self, records: Mapping[str, NodeRecord], taken: int, ends: EndCounts) -> JobFigures:
        waiting = {key: self._jobs.waiting.count(key) for key in records}
        ready = self._jobs.left() - taken - sum(waiting.values())
        due_ms = [
            record.retry_ms
            for key, record in records.items()
            if waiting[key] and record.retry_ms and self._state(key, record) == ALIVE
        ]
        retry_in_s = min(due_ms) / 1000 if due_ms else None
        done, failed, skipped = (
            sum(number for (_, each), number in ends.items() if each is state)
            for state in (JobState.DONE, JobState.FAILED, JobState.SKIPPED)
        )
        return JobFigures(
            ready=max(0, ready),
            waiting=sum(waiting.values()),
            retry_in_s=retry_in_s,
            taken=taken,
            done=done,
            failed=failed,
            skipped=skipped,
        )

    def _nodes(
        self, records: Mapping[str, NodeRecord], taken: Mapping[str, int], ends: EndCounts
    ) -> tuple[NodeFigures, ...]:
        """The figures of each node, added up over its incarnations; the state is that of the newest one."""
        starts: dict[str, list[str]] = {}
        for key, record in sorted(records.items(), key=lambda one: one[1].start):
            starts.setdefault(record.node, []).append(key)
        ended: Counter[str] = Counter()
        for (incarnation, _), number in ends.items():
            ended[incarnation] += number
        return tuple(
            NodeFigures(
                node,
                self._state(keys[-1], records[keys[-1]]),
                sum(taken.get(key, 0) for key in keys),
                sum(ended[key] for key in keys),
                sum(records[key].pages for key in keys),
                self._sample.pages_per_s(keys[-1]),
            )
            for node, keys in sorted(starts.items())
        )

    def _state(self, incarnation: str, record: NodeRecord) -> str:
        if record.state is not NodeStatus.LIVE:
            return record.state.lower()
        return ALIVE if self._sample.beats(incarnation) else "silent"

    def _awaiting(self, records: Mapping[str, NodeRecord], ends: EndCounts) -> tuple[str, ...]:
        alive = {key for key, record in records.items() if self._state(key, record) == ALIVE}
        return awaited_nodes(records, alive, (incarnation for incarnation, _ in ends))

    def _host_figures(self, records: Mapping[str, NodeRecord]) -> tuple[HostFigures, ...]:
        names = {key: record.node for key, record in records.items()}
        left = {key for key, record in records.items() if record.state is NodeStatus.LEFT}
        found: list[HostFigures] = []
        for page in pages(self._store, HOSTS, PAGE):
            for host, record in page:
                read = self._hosts.read(host, record).without(left)
                if not read.parties:
                    continue
                shares = tuple(
                    ShareFigures(names.get(key, key), share.gap, share.permits)
                    for key, share in sorted(read.shares.items())
                )
                found.append(HostFigures(host, shares, tuple(names.get(key, key) for key in read.asks)))
        return tuple(found)
