"""Removed slots: a few ranges that say how the removed jobs of a process ended."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from scoopi.model.schedule.job_changes import SlotState
from scoopi.model.schedule.schedule_records import ENDED, JobRecord
from scoopi.scheduler.removed_slots import MOST_RANGES, removed_state, with_removed

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def job(slot: str, state: SlotState = "processed") -> JobRecord:
    return JobRecord(process="p", slot=slot, state=state, phase=ENDED, created=NOW, changed=NOW)


def day(number: int) -> str:
    return f"D:202601{number:02}00"


def test_periods_that_follow_each_other_are_one_range() -> None:
    removed = with_removed({}, [job(day(3)), job(day(1)), job("D:2025123100")])
    removed = with_removed(removed, [job(day(2), "noop"), job(day(5))])
    assert removed == {"D processed": [("D:2025123100", day(3)), (day(5), day(5))]}
    assert removed_state(removed, day(2)) == "processed"
    assert removed_state(removed, day(4)) is None
    assert removed_state(removed, "H:2026010200") is None


def test_iterations_that_follow_each_other_are_one_range() -> None:
    removed = with_removed({}, [job("#8"), job("#10"), job("#12")])
    assert len(removed["# processed"]) == 3
    removed = with_removed(removed, [job("#9"), job("#11")])
    assert len(removed["# processed"]) == 1
    states = [removed_state(removed, f"#{number}") for number in range(7, 14)]
    assert states == [None, *["processed"] * 5, None]


def test_instants_and_launches_by_hand_are_not_noted() -> None:
    removed = with_removed({}, [job("!1"), job("@2026-01-01T00:00:00Z")])
    assert removed == {}
    assert removed_state(removed, "!1") is None


def test_beyond_the_limit_the_oldest_ranges_become_one() -> None:
    removed = with_removed({}, [job(f"#{2 * number}") for number in range(MOST_RANGES + 2)])
    assert len(removed["# processed"]) == MOST_RANGES
    assert removed_state(removed, "#1") == "processed"
    assert removed_state(removed, f"#{2 * MOST_RANGES + 1}") is None


@given(
    st.lists(st.tuples(st.integers(1, 28), st.sampled_from(["processed", "skipped", "failed"])), max_size=14)
)
def test_each_removed_slot_has_its_state_and_no_other_has_one(found: list[tuple[int, SlotState]]) -> None:
    ends = dict(found)
    removed: dict[str, list[tuple[str, str]]] = {}
    for number, state in ends.items():
        removed = with_removed(removed, [job(day(number), state)])
    for number in range(1, 29):
        assert removed_state(removed, day(number)) == ends.get(number)
