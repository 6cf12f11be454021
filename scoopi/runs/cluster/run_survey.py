"""RunSurvey: reads what the store knows of a run, and changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from scoopi.model.job import JobState
from scoopi.model.report.run_figures import HostFigures, JobFigures, NodeFigures, RunFigures, ShareFigures
from scoopi.politeness.host_share_memory import HostRecords
from scoopi.runs.cluster.cluster_runs import HeartbeatSample
from scoopi.store.nodes.departure import awaited_nodes
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeRecord, NodeStatus
from scoopi.store.pages.job_records import taken_state_key
from scoopi.store.pages.job_store import JobStore
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
        members = Membership(store, NOBODY, NOBODY)
        self._sample = HeartbeatSample(members.read, heartbeat_ms / 1000)

    def figures(self) -> RunFigures:
        """All figures of the run; samples a few heartbeats while nodes are live."""
        state = RunRecord(self._store, NOBODY).read()
        members = self._sample.take()
        if state is None:
            return self._not_begun(members)
        taken = {key: self._store.count(JOBS, taken_state_key(key)) for key in members}
        ends = self._ends()
        return RunFigures(
            run=self._run,
            phase=str(state.phase),
            seeded=state.seeded,
            nodes=self._nodes(members, taken, ends),
            jobs=self._job_figures(members, sum(taken.values()), ends),
            hosts=() if state.phase is RunPhase.OVER else self._host_figures(members),
            awaiting=self._awaiting(members, ends) if state.phase is RunPhase.ENDING else (),
        )

    def _not_begun(self, members: Mapping[str, NodeRecord]) -> RunFigures:
        nodes = self._nodes(members, {}, Counter())
        waits = any(node.state == ALIVE for node in nodes)
        phase = "WAITING" if waits else "ABANDONED" if nodes else "LOST"
        return RunFigures(self._run, phase, nodes=nodes)

    def _ends(self) -> EndCounts:
        """How many jobs have ended, by incarnation and state."""
        ends: EndCounts = Counter()
        for page in self._jobs.finished.pages():
            ends.update((end.incarnation, end.state) for _, end in page)
        return ends

    def _job_figures(self, members: Mapping[str, NodeRecord], taken: int, ends: EndCounts) -> JobFigures:
        waiting = {key: self._jobs.waiting.count(key) for key in members}
        ready = self._jobs.left() - taken - sum(waiting.values())
        due_ms = [
            member.retry_ms
            for key, member in members.items()
            if waiting[key] and member.retry_ms and self._state(key, member) == ALIVE
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
        self, members: Mapping[str, NodeRecord], taken: Mapping[str, int], ends: EndCounts
    ) -> tuple[NodeFigures, ...]:
        """The figures of each node, added up over its incarnations; the state is that of the newest one."""
        starts: dict[str, list[str]] = {}
        for key, member in sorted(members.items(), key=lambda one: one[1].start):
            starts.setdefault(member.node, []).append(key)
        ended: Counter[str] = Counter()
        for (incarnation, _), number in ends.items():
            ended[incarnation] += number
        return tuple(
            NodeFigures(
                node,
                self._state(keys[-1], members[keys[-1]]),
                sum(taken.get(key, 0) for key in keys),
                sum(ended[key] for key in keys),
                sum(members[key].pages for key in keys),
                self._sample.pages_per_s(keys[-1]),
            )
            for node, keys in sorted(starts.items())
        )

    def _state(self, incarnation: str, member: NodeRecord) -> str:
        if member.state is not NodeStatus.LIVE:
            return member.state.lower()
        return ALIVE if self._sample.beats(incarnation) else "silent"

    def _awaiting(self, members: Mapping[str, NodeRecord], ends: EndCounts) -> tuple[str, ...]:
        alive = {key for key, member in members.items() if self._state(key, member) == ALIVE}
        return awaited_nodes(members, alive, (incarnation for incarnation, _ in ends))

    def _host_figures(self, members: Mapping[str, NodeRecord]) -> tuple[HostFigures, ...]:
        names = {key: member.node for key, member in members.items()}
        left = {key for key, member in members.items() if member.state is NodeStatus.LEFT}
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
