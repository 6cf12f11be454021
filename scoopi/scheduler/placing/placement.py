"""placement: decides which worker runs an attempt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Literal

from msgspec.structs import replace

from scoopi.model.schedule.process import DEFAULT_GROUPS, EXTERNAL
from scoopi.model.schedule.schedule_records import LIVE, UNCLAIMED, AttemptRecord, WorkerRecord
from scoopi.model.schedule.schedule_settings import Schedule
from scoopi.scheduler.decisions import Decision, changed, ended, requeued
from scoopi.scheduler.placing.run_nodes import assigned_workers, may_join
from scoopi.scheduler.planning.plan_faults import PlanFaults
from scoopi.scheduler.snapshot import Snapshot

PlacingGate = Literal["prepare", "worker", "capacity"]
"""The gates at which an attempt waits for a worker; they follow the gates of its job."""


def placements(snapshot: Snapshot, faults: PlanFaults, *, joins: bool = True) -> Iterator[Decision]:
    """Step 5 of a pass: place attempts, the oldest first, on the worker with the most free capacity.

    Args:
        joins: also place further nodes of runs; False while the pass creates attempts, which come first.
    """
    free = FreeCapacity(snapshot)
    left = snapshot.schedule.settings.start_limit
    waiting = _unplaced(snapshot)
    full = {name for name in {each.process for each in waiting} if _is_full(name, free, snapshot)}
    for attempt in _in_turn([each for each in waiting if each.process not in full], snapshot):
        if left <= 0:
            return
        if attempt.process in full:
            continue
        found = faults.decided(attempt.process, attempt.attempt, _place, attempt, free, snapshot)
        left -= sum(isinstance(each.new, AttemptRecord) and each.new.status == "waiting" for each in found)
        yield from found
        if _is_full(attempt.process, free, snapshot):
            full.add(attempt.process)
    if joins:  # last, so that no attempt waits because another one has many nodes
        yield from islice(_joining(free, snapshot, faults), left)


def _is_full(name: str, free: FreeCapacity, snapshot: Snapshot) -> bool:
    """Whether attempts of a process can only wait, as no worker of its groups has free capacity."""
    process = snapshot.process(name)
    if process is None:
        return not free.has_capacity(DEFAULT_GROUPS)
    if process.no_worker != "wait" or process.executes.kind == EXTERNAL:
        return False
    return not free.has_capacity(process.groups)


def _place(attempt: AttemptRecord, free: FreeCapacity, snapshot: Snapshot) -> Iterator[Decision]:
    """Place an attempt; an `external` one gets no worker, but waits until a registered worker claims it."""
    stopped = without_worker(attempt, free, snapshot)
    if stopped is not None:
        if stopped.new != attempt:
            yield stopped
    elif is_external(attempt, snapshot):
        if attempt.status != "waiting":
            yield _placed(attempt, "", "", snapshot.now)
    elif (place := free.take(groups_of(attempt, snapshot))) is not None:
        yield _placed(attempt, *place, snapshot.now)


def without_worker(attempt: AttemptRecord, free: FreeCapacity, snapshot: Snapshot) -> Decision | None:
    """Return the decision by `no_worker` on an attempt that no live worker can run; None if it just waits.

    None also if a live worker can run it. For an attempt that is paused already, it changes nothing.
    """
    process = snapshot.process(attempt.process)
    if process is None or process.no_worker == "wait":
        return None
    missing = no_worker_of(free, process.groups)
    if is_external(attempt, snapshot):
        missing = _unregistered(process.groups, snapshot)
    if not missing:
        return None
    if process.no_worker == "fail":
        return ended(attempt, "failed", missing, snapshot.now, "worker")
    if attempt.status == "paused":
        return Decision("attempt_placed", attempt, attempt, "worker", missing)
    paused = changed(attempt, status="paused", paused=snapshot.now, explanation=missing)
    return Decision("attempt_placed", attempt, paused, "worker", missing)


def _unregistered(groups: Sequence[str], snapshot: Snapshot) -> str:
    """A reason if no live registered worker is in any of the groups; else empty."""
    workers = (each for each in snapshot.workers.values() if each.is_external and each.state == "running")
    if any(not {*groups}.isdisjoint(each.groups) and not snapshot.is_lost(each) for each in workers):
        return ""
    return f"no live worker is registered in group {' or '.join(groups)}"


def groups_of(attempt: AttemptRecord, snapshot: Snapshot) -> tuple[str, ...]:
    """Return the groups of workers that may run an attempt, in order of preference."""
    process = snapshot.process(attempt.process)
    return DEFAULT_GROUPS if process is None else process.groups


def may_take_over(attempt: AttemptRecord, groups: Sequence[str], schedule: Schedule, now: datetime) -> bool:
    """Whether a worker in these groups may claim an attempt that another worker has not claimed in time.

    The clocks of two machines are compared here; a difference is harmless, since only one claim wins.
    """
    process = schedule.process(attempt.process)
    if process is None or process.executes.kind == EXTERNAL or not attempt.worker or attempt.placed is None:
        return False
    is_late = now - attempt.placed > schedule.settings.worker.claim_after
    return is_late and not {*groups}.isdisjoint(process.groups)


def waiting_gate(
    attempt: AttemptRecord, free: FreeCapacity, snapshot: Snapshot
) -> tuple[PlacingGate, str] | None:
    """Return the gate at which an attempt without a worker waits after a pass has placed what it could.

    Args:
        free: the free capacity by the snapshot; it is not changed.
    Returns:
        The gate and the reason; None if a registered worker only has to claim the attempt.
    """
    if is_asked_later(attempt, snapshot):
        return "prepare", attempt.explanation or "it was not ready"
    if attempt.offer_at is not None:
        return "worker", attempt.explanation
    stopped = without_worker(attempt, free, snapshot)
    if stopped is not None:
        return "worker", stopped.reason
    if is_external(attempt, snapshot):
        return None
    groups = groups_of(attempt, snapshot)
    if missing := no_worker_of(free, groups):
        return "worker", missing
    return "capacity", free.shortage(groups)


def stranded(snapshot: Snapshot) -> Iterator[tuple[AttemptRecord, str]]:
    """Yield the attempts that no live worker may run, each with the reason."""
    free = FreeCapacity(snapshot)
    for attempt in _in_turn(_unplaced(snapshot), snapshot):
        if not is_external(attempt, snapshot) and (
            reason := no_worker_of(free, groups_of(attempt, snapshot))
        ):
            yield attempt, reason


def no_worker_of(free: FreeCapacity, groups: Sequence[str]) -> str:
    """Return a reason if no live worker is in any of the groups, with the existing groups; else empty."""
    if any(free.members(group) for group in groups):
        return ""
    reason = f"no live worker in group {' or '.join(groups)}"
    has = sorted({group for worker in free.alive for group in worker.groups})
    return f"{reason}; live workers have {', '.join(has)}" if has else reason


class FreeCapacity:
    """The free capacity of each live worker: how many more attempts it may have."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.alive: list[WorkerRecord] = [
            worker
            for worker in snapshot.workers.values()
            if worker.state == "running" and not worker.is_external and not snapshot.is_lost(worker)
        ]
        self._left = {worker.worker: worker.capacity for worker in self.alive}
        for attempt in snapshot.attempts:
            # most attempts of a long queue have no worker, and a pass computes this several times
            for name in assigned_workers(attempt) if attempt.worker or attempt.nodes else ():
                if name in self._left:
                    self._left[name] -= 1

    def members(self, group: str) -> list[WorkerRecord]:
        """Return the live workers of a group."""
        return [worker for worker in self.alive if group in worker.groups]

    def shortage(self, groups: Sequence[str]) -> str:
        """Return that the groups have no free capacity, and how much each that has live workers uses."""
        in_use = []
        for group in groups:
            if members := self.members(group):
                capacity = sum(worker.capacity for worker in members)
                used = capacity - sum(self._left[worker.worker] for worker in members)
                in_use.append(f"group {group} ({used:g} of {capacity:g} in use)")
        return f"no free capacity in {' and '.join(in_use)}"

    def has_capacity(self, groups: Sequence[str]) -> bool:
        """Whether a worker of one of the groups has capacity left; once false, it stays so."""
        return any(self._left[worker.worker] >= 1 for group in groups for worker in self.members(group))

    def take(self, groups: Sequence[str]) -> tuple[str, str] | None:
        """Take capacity of the worker with the most free capacity, in the first group that has some.

        Of workers with equal capacity, it is the first by name.

        Returns:
            The worker and the group; None if no worker of the groups has free capacity.
        """
        for group in groups:
            members = self.members(group)
            most = min(members, key=lambda worker: (-self._left[worker.worker], worker.worker), default=None)
            if most is not None and self._left[most.worker] >= 1:
                self._left[most.worker] -= 1
                return most.worker, group
        return None

    def spread(self, groups: Sequence[str], held: Sequence[str]) -> str:
        """Take capacity for one more node of a run; return the worker, empty if none has free capacity.

        Args:
            held: the workers of the run's nodes so far; the one that has the fewest of them comes first, then
                that of the first group, then that with the most free capacity.
        """
        found = [
            (held.count(worker.worker), rank, -self._left[worker.worker], worker.worker)
            for rank, group in enumerate(groups)
            for worker in self.members(group)
            if self._left[worker.worker] >= 1
        ]
        name = min(found)[-1] if found else ""
        if name:
            self._left[name] -= 1
        return name


def _joining(free: FreeCapacity, snapshot: Snapshot, faults: PlanFaults) -> Iterator[Decision]:
    """Place the further nodes of runs that have begun, on as many workers as possible."""
    for attempt in snapshot.attempts:
        if attempt.nodes and may_join(attempt):
            yield from faults.decided(attempt.process, attempt.attempt, _join, attempt, free, snapshot)


def _join(attempt: AttemptRecord, free: FreeCapacity, snapshot: Snapshot) -> Iterator[Decision]:
    held, nodes = assigned_workers(attempt), []
    for node in attempt.nodes:
        name = free.spread(groups_of(attempt, snapshot), held) if node.status == "free" else ""
        held += [name] if name else []
        nodes.append(replace(node, status="placed", worker=name) if name else node)
    if tuple(nodes) != attempt.nodes:
        placed = changed(attempt, nodes=tuple(nodes))
        reason = f"nodes on {', '.join(node.worker for node in nodes if node.is_held)}"
        yield Decision("attempt_placed", attempt, placed, "", reason)


def _unplaced(snapshot: Snapshot) -> list[AttemptRecord]:
    return [
        attempt
        for attempt in snapshot.attempts
        if attempt.phase == LIVE
        and attempt.status in UNCLAIMED
        and not attempt.worker
        and attempt.offer_at is None
        and not is_asked_later(attempt, snapshot)
    ]


def _in_turn(attempts: Sequence[AttemptRecord], snapshot: Snapshot) -> Sequence[AttemptRecord]:
    """Sort attempts, oldest first; those of backfills come last, so that none holds up the schedule."""
    if not attempts:
        return attempts
    turns = snapshot.turns

    def turn(attempt: AttemptRecord) -> tuple[bool, datetime, int]:
        return snapshot.is_backfill(attempt), attempt.created, turns.get(attempt.job, 0)

    return sorted(attempts, key=turn)


def is_asked_later(attempt: AttemptRecord, snapshot: Snapshot) -> bool:
    """Whether an attempt was not ready, and is not offered again yet."""
    return attempt.ended is not None and snapshot.now - attempt.ended < snapshot.schedule.settings.every


def asked_at(attempt: AttemptRecord, snapshot: Snapshot) -> datetime:
    """When an attempt that was not ready is offered again."""
    return (attempt.ended or attempt.created) + snapshot.schedule.settings.every


def is_external(attempt: AttemptRecord, snapshot: Snapshot) -> bool:
    """Whether only registered workers run an attempt."""
    process = snapshot.process(attempt.process)
    return process is not None and process.executes.kind == EXTERNAL


def _placed(attempt: AttemptRecord, worker: str, group: str, now: datetime) -> Decision:
    explanation = "" if attempt.status == "paused" else attempt.explanation
    fields = {"status": "waiting", "worker": worker, "group": group, "placed": now}
    placed = requeued(attempt, now, attempt.paused, **fields, explanation=explanation)
    return Decision("attempt_placed", attempt, placed, "", f"on worker {worker}" if worker else "")
