"""removed_slots: keeps how the removed jobs of a process had ended, as a few ranges of slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scoopi.model.schedule.job_changes import SlotState
from scoopi.model.schedule.schedule_records import JobRecord
from scoopi.periods.period import Period
from scoopi.periods.slot import Iteration, parse_slot, slot_key, slot_of_key

Ranges = list[tuple[str, str]]
"""The keys of the first and the last slot of each range."""
MOST_RANGES = 16
"""The most ranges per kind of slot and state; above it the two oldest are merged, gap included."""
_ENDS: tuple[SlotState, ...] = ("processed", "skipped", "failed")


def removed_state(removed: Mapping[str, Ranges], slot: str) -> SlotState | None:
    """Return how the removed job of a slot ended; None if none was removed.

    A noop counts as processed. Only periods and iterations are recorded: no later slot refers to an instant
    or a manual launch.

    >>> job = JobRecord(process="p", slot="#7", state="noop", phase="ended", created=None, changed=None)
    >>> removed_state(with_removed({}, [job]), "#7"), removed_state(with_removed({}, [job]), "#8")
    ('processed', None)
    """
    key = slot_key(parse_slot(slot))
    for state in _ENDS:
        if any(first <= key <= last for first, last in removed.get(f"{key[:1]} {state}", ())):
            return state
    return None


def with_removed(removed: Mapping[str, Ranges], jobs: Iterable[JobRecord]) -> dict[str, Ranges]:
    """Return the ranges with those of removed jobs added; adjacent ranges are merged."""
    ranges = {kind: [*found] for kind, found in removed.items()}
    for job in jobs:
        slot = parse_slot(job.slot)
        if isinstance(slot, Period | Iteration):
            key, state = slot_key(slot), "processed" if job.state == "noop" else job.state
            ranges.setdefault(f"{key[:1]} {state}", []).append((key, key))
    return {kind: _merged(sorted(found)) for kind, found in ranges.items()}


def _merged(ranges: Ranges) -> Ranges:
    merged = ranges[:1]
    for first, last in ranges[1:]:
        if first <= _following(merged[-1][1]):
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    while len(merged) > MOST_RANGES:
        merged[:2] = [(merged[0][0], merged[1][1])]
    return merged


def _following(key: str) -> str:
    slot = slot_of_key(key)
    assert isinstance(slot, Period | Iteration)
    return slot_key(slot.shift(1) if isinstance(slot, Period) else Iteration(slot.number + 1))
