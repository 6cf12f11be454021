"""RunSurvey: reads what the store knows of a run, and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from scoopi.model.job import JobState
from scoopi.model.run_figures import HostFigures, JobFigures, NodeFigures, RunFigures, ShareFigures
from scoopi.store.heartbeat_sample import HeartbeatSample
from scoopi.store.host_share_record import HostRecords
from scoopi.store.job_records import ENDED_SLOT, taken_slot
from scoopi.store.job_store import JobStore
from scoopi.store.member import Member, MemberState
from scoopi.store.membership import Membership
from scoopi.store.ports import MapName, Store
from scoopi.store.run_record import RunRecord

NOBODY = ""
PAGE = 1000
ENDED_PAGE = 20_000
_STATES = ("alive", "silent", "left")


class RunSurvey:
    """Counts by scans, as the nodes themselves do (design, "Protocol", rule 12).

    Every method raises StoreError when the store does not answer.

    Args:
        store: of the run.
        run: its name.
        heartbeat_ms: of its nodes.
    """

    def __init__(self, store: Store, run: str, heartbeat_ms: int) -> None:
        self._store = store
        self._run = run
        self._jobs = JobStore(store, NOBODY)
        self._hosts = HostRecords(NOBODY)
        members = Membership(store, NOBODY, NOBODY)
        self._sample = HeartbeatSample(members.read, heartbeat_ms / 1000)

    def figures(self) -> RunFigures:
        """All there is to tell; looks on for a few heartbeats while nodes live."""
        state = RunRecord(self._store, NOBODY).read()
        members = self._sample.take()
        if state is None:
            nodes = self._nodes(members, {})
            return RunFigures(self._run, "WAITING" if nodes else "LOST", nodes=nodes)
        taken = {key: self._store.count(MapName.JOBS, taken_slot(key)) for key in members}
        return RunFigures(
            run=self._run,
            phase=str(state.phase),
            seeded=state.seeded,
            nodes=self._nodes(members, taken),
            jobs=self._job_figures(sum(taken.values())),
            hosts=self._host_figures({key: member.node for key, member in members.items()}),
        )

    def _job_figures(self, taken: int) -> JobFigures:
        half_ended = self._store.count(MapName.JOBS, ENDED_SLOT)
        ready = self._store.count(MapName.JOBS) - half_ended - taken
        ends = {JobState.DONE: 0, JobState.FAILED: 0}
        after = ""
        while page := self._jobs.scan_ended(after, ENDED_PAGE):
            for _, end in page:
                ends[end.state] += 1
            after = page[-1][0]
        return JobFigures(max(0, ready), taken, ends[JobState.DONE], ends[JobState.FAILED])

    def _nodes(self, members: Mapping[str, Member], taken: Mapping[str, int]) -> tuple[NodeFigures, ...]:
        """One line a node, whatever starts it had."""
        nodes: dict[str, NodeFigures] = {}
        for key, member in members.items():
            here = NodeFigures(
                member.node,
                self._state(key, member),
                taken.get(key, 0),
                member.pages,
                self._sample.pages_per_s(key),
            )
            known = nodes.get(member.node)
            nodes[member.node] = here if known is None else _together(known, here)
        return tuple(nodes[node] for node in sorted(nodes))

    def _state(self, incarnation: str, member: Member) -> str:
        if member.state is MemberState.LEFT:
            return "left"
        return "alive" if self._sample.beats(incarnation) else "silent"

    def _host_figures(self, nodes: Mapping[str, str]) -> tuple[HostFigures, ...]:
        found: list[HostFigures] = []
        after = ""
        while page := self._store.scan(MapName.HOSTS, None, PAGE, after):
            for host, record in page:
                read = self._hosts.read(record)
                if not read.parties:
                    continue
                shares = tuple(
                    ShareFigures(nodes.get(key, key), share.gap, share.permits)
                    for key, share in sorted(read.shares.items())
                )
                found.append(HostFigures(host, shares, tuple(nodes.get(key, key) for key in read.asks)))
            after = page[-1][0]
        return tuple(found)


def _together(one: NodeFigures, other: NodeFigures) -> NodeFigures:
    state = min(one.state, other.state, key=_STATES.index)
    speed = one.pages_per_s + other.pages_per_s
    return NodeFigures(one.node, state, one.taken + other.taken, one.pages + other.pages, speed)
