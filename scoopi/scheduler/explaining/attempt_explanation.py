"""attempt_explanation: what the live attempt of a job waits for or does, since when, and on which worker."""

from __future__ import annotations

from scoopi.model.schedule.process import DEFAULT_GROUPS
from scoopi.model.schedule.schedule_records import TERMINAL, UNCLAIMED, AttemptRecord
from scoopi.periods.duration import duration_text
from scoopi.periods.slot import Iteration, moment_text, parse_slot
from scoopi.scheduler.explaining.explanation import Explanation
from scoopi.scheduler.explaining.holders import (
    attempt_since,
    attempt_text,
    gone_text,
    listed,
    missed_beats,
    quoted,
    since_text,
)
from scoopi.scheduler.iteration_window import first_of_window
from scoopi.scheduler.placing.placement import (
    FreeCapacity,
    asked_at,
    groups_of,
    is_asked_later,
    is_external,
    no_worker_of,
    without_worker,
)
from scoopi.scheduler.placing.run_nodes import assigned_workers, nodes_text
from scoopi.scheduler.snapshot import Snapshot


def explained_attempt(attempt: AttemptRecord, snapshot: Snapshot) -> Explanation:
    """Explain a live attempt, or one whose end has not moved its job yet."""
    if attempt.status in TERMINAL:
        return _ended(attempt, snapshot)
    if attempt.wish == "cancel":
        return _cancelled(attempt, snapshot)
    is_offered = attempt.status == "waiting" and (attempt.worker or is_external(attempt, snapshot))
    if attempt.status in UNCLAIMED and (not is_offered or attempt.offer_at is not None):
        found = _unplaced(attempt, snapshot)
        return found or _placed_next(attempt, snapshot)
    nodes = f"; {nodes_text(attempt)}" if attempt.nodes else ""
    if attempt.status == "waiting":
        return _unclaimed(attempt, nodes, snapshot)
    reason = (
        f"{attempt_text(attempt, snapshot, f'attempt {attempt.number}')}{nodes}{_outside(attempt, snapshot)}"
    )
    if attempt.worker in snapshot.dead:
        return _left_behind(attempt, reason, snapshot)
    hint = f"scoopi attempt log {quoted(attempt.attempt)} -f shows what it does"
    if is_external(attempt, snapshot):
        hint = f"scoopi attempt show {quoted(attempt.attempt)} shows what it has reported"
    return Explanation("live", reason, attempt_since(attempt), (attempt.attempt,), hint, answer="runs")


def _left_behind(attempt: AttemptRecord, reason: str, snapshot: Snapshot) -> Explanation:
    """Explain a running attempt whose `serve` was killed, so that nothing works on it."""
    live = snapshot.schedule.settings.liveness
    others = (each for each in snapshot.workers.values() if not each.is_external and each.state == "running")
    if any(not snapshot.is_lost(each) for each in others):
        after = duration_text(live.beat * live.gap)
        hint = f"it is offered to another worker when its own is lost, within some {after}"
        return Explanation("worker", reason, attempt_since(attempt), (attempt.attempt,), hint)
    hint = f"{start_text(groups_of(attempt, snapshot))}, which continues it"
    return Explanation("worker", reason, attempt_since(attempt), (attempt.attempt,), hint)


def _placed_next(attempt: AttemptRecord, snapshot: Snapshot) -> Explanation:
    """Explain an attempt that the next pass places, and if it was not ready before, why."""
    what = f"attempt {attempt.number} is placed by the next pass{passing(snapshot)}"
    if attempt.ended is None or attempt.status != "pending":
        return Explanation("live", what, attempt_since(attempt))
    return Explanation("prepare", f"{_not_ready_text(attempt)}; {what}", attempt.ended)


def start_text(groups: tuple[str, ...], *, of_registered: bool = False) -> str:
    """Return the command with which a worker joins the first of some groups.

    Args:
        of_registered: return the command for a worker that is not a `serve`.
    """
    group = groups[0]
    is_default = group in DEFAULT_GROUPS if of_registered else "default" in groups
    of_group = "" if is_default else f" --groups {group}"
    return f"scoopi worker put NAME{of_group}" if of_registered else f"start scoopi serve{of_group}"


def passing(snapshot: Snapshot) -> str:
    """Return a clause if the lease of passes is held, by a running pass or one that has died; else empty."""
    until = snapshot.pass_until
    if until is None or until < snapshot.now:
        return ""
    return f"; a pass holds the lease of passes until {moment_text(until)}"


def _ended(attempt: AttemptRecord, snapshot: Snapshot) -> Explanation:
    verbs = {"succeeded": "succeeded", "failed": "failed", "canceled": "was cancelled", "noop": "was a noop"}
    at = f" at {moment_text(attempt.ended)}" if attempt.ended is not None else ""
    why = f": {attempt.explanation}" if attempt.explanation else ""
    what = f"attempt {attempt.number} {verbs.get(attempt.status, 'ended in an error')}{at}{why}"
    reason = f"{what}; the next pass moves its job{passing(snapshot)}"
    return Explanation("live", reason, attempt.ended, (attempt.attempt,), answer="runs")


def _cancelled(attempt: AttemptRecord, snapshot: Snapshot) -> Explanation:
    cancel = snapshot.schedule.settings.cancel
    kill_after = cancel.killed_after(attempt.wish_mode or "step")
    until = attempt.wished + kill_after if attempt.wished is not None and kill_after is not None else None
    at = f", requested at {moment_text(attempt.wished)}" if attempt.wished is not None else ""
    missed = missed_beats(attempt, snapshot)
    unseen = ", which has not seen it yet" if attempt.status == "running" and not missed else ""
    on = f" on worker {attempt.worker}{missed or unseen}" if attempt.worker else ""
    mode = f"{attempt.wish_mode or 'step'}{at}"
    reason = f"attempt {attempt.number} is being cancelled ({mode}){on}: {attempt.explanation}"
    is_hardest = attempt.wish_mode == "kill"
    within = f"within {duration_text(cancel.hardest_after)}"
    hint = "" if is_hardest else f"scoopi job cancel {quoted(attempt.job)} --mode kill ends it {within}"
    return Explanation("live", reason, attempt.wished, (attempt.attempt,), hint, until)


def _unclaimed(attempt: AttemptRecord, nodes: str, snapshot: Snapshot) -> Explanation:
    """Explain an attempt that is offered to a worker, which has not claimed it."""
    since, groups = attempt_since(attempt), groups_of(attempt, snapshot)
    if not attempt.worker:
        of_groups = "" if groups == DEFAULT_GROUPS else f" of group {' or '.join(groups)}"
        worker = f"a registered worker{of_groups}"
        reason = f"attempt {attempt.number} has waited{since_text(since)} for {worker} to claim it"
        hint = "scoopi attempt claim --worker NAME claims it; scoopi worker put NAME registers a worker"
        return Explanation("live", f"{reason}{nodes}", since, (), hint, answer="runs")
    on = f"{attempt.worker}{missed_beats(attempt, snapshot)}"
    comma = "," if on != attempt.worker else ""
    reason = (
        f"attempt {attempt.number} has waited{since_text(since)} for worker {on}{comma} to claim it{nodes}"
    )
    until = since + snapshot.schedule.settings.worker.claim_after
    hint = f"another worker of its groups may claim it from {moment_text(until)} on"
    return Explanation("live", reason, since, (attempt.attempt,), hint, answer="runs")


def _unplaced(attempt: AttemptRecord, snapshot: Snapshot) -> Explanation | None:
    """Explain why an attempt has no worker; None if the next pass places it, or it has no need of one."""
    if is_asked_later(attempt, snapshot):
        return _not_ready(attempt, snapshot)
    if attempt.offer_at is not None:
        again = f"attempt {attempt.number} is offered again at {moment_text(attempt.offer_at)}"
        reason = f"{attempt.explanation}; {again}"
        hint = f"scoopi job cancel {quoted(attempt.job)} gives it up"
        return Explanation("worker", reason, attempt_since(attempt), (), hint, attempt.offer_at)
    free, groups = FreeCapacity(snapshot), groups_of(attempt, snapshot)
    joins, gone = start_text(groups, of_registered=is_external(attempt, snapshot)), _gone(attempt, snapshot)
    since = attempt_since(attempt)
    if attempt.status == "paused" and (stopped := without_worker(attempt, free, snapshot)) is not None:
        reason = f"attempt {attempt.number} has been paused{since_text(since)}: {stopped.reason}{gone}"
        return Explanation("worker", reason, since, hint=f"it continues when one joins: {joins}")
    if attempt.worker or is_external(attempt, snapshot):
        return None
    if missing := no_worker_of(free, groups):
        others = _registered(groups, snapshot)
        reason = f"{missing}{gone}{others}; attempt {attempt.number} has waited{since_text(since)}"
        return Explanation("worker", reason, since, hint=joins)
    return None if free.take(groups) is not None else _full(attempt, groups, snapshot)


def _not_ready(attempt: AttemptRecord, snapshot: Snapshot) -> Explanation:
    until = asked_at(attempt, snapshot)
    reason = f"{_not_ready_text(attempt)}; asked again at {moment_text(until)}"
    hint = f"scoopi attempt log {quoted(attempt.attempt)} shows what it has printed"
    return Explanation("prepare", reason, attempt.ended, (), hint, until)


def _not_ready_text(attempt: AttemptRecord) -> str:
    why = f": {attempt.explanation}" if attempt.explanation else ""
    at = f" at {moment_text(attempt.ended)}" if attempt.ended else ""
    return f"it was not ready{at}{why}"


def _full(attempt: AttemptRecord, groups: tuple[str, ...], snapshot: Snapshot) -> Explanation:
    """Explain an attempt for which no capacity is left: which attempts use it, where, and since when."""
    free = FreeCapacity(snapshot)
    workers = {worker.worker for group in groups for worker in free.members(group)}
    held = (each for each in snapshot.attempts if not workers.isdisjoint(assigned_workers(each)))
    holding = sorted(held, key=attempt_since)
    texts = listed([attempt_text(each, snapshot) for each in holding])
    since = attempt_since(attempt)
    waited = f"attempt {attempt.number} has waited{since_text(since)}"
    reason = f"{free.shortage(groups)}: {texts}; {waited}"
    hint = f"scoopi worker list shows all of them; for more capacity, {start_text(groups)}"
    return Explanation("capacity", reason, since, tuple(each.attempt for each in holding), hint)


def _gone(attempt: AttemptRecord, snapshot: Snapshot) -> str:
    """A clause on the workers of an attempt's groups that are lost or draining; empty without any."""
    groups, is_registered = groups_of(attempt, snapshot), is_external(attempt, snapshot)
    gone = [
        worker
        for worker in snapshot.workers.values()
        if not {*groups}.isdisjoint(worker.groups)
        and worker.is_external is is_registered
        and worker.state != "running"
    ]
    return gone_text(gone)


def _registered(groups: tuple[str, ...], snapshot: Snapshot) -> str:
    """A clause on the workers of some groups that `group list` shows but that run only external processes."""
    names = sorted(
        worker.worker
        for worker in snapshot.workers.values()
        if worker.is_external and worker.state == "running" and not {*groups}.isdisjoint(worker.groups)
    )
    if not names:
        return ""
    verb = "is a registered worker" if len(names) == 1 else "are registered workers"
    return f" ({listed(names)} {verb}, for external processes only)"


def _outside(attempt: AttemptRecord, snapshot: Snapshot) -> str:
    """A clause if the iteration of a running attempt has left the window, so none follows; else empty."""
    process, slot = snapshot.process(attempt.process), parse_slot(attempt.slot)
    if process is None or process.trigger is None or process.trigger.slots != "iterations":
        return ""
    first = first_of_window(process, snapshot) if process.name in snapshot.processes else None
    if first is None or not isinstance(slot, Iteration) or slot.number >= first:
        return ""
    return f"; {attempt.slot} has left the window, which begins with #{first}, so no other attempt follows"
