"""A step of a pass that fails decides nothing, says why, and stops no other; nothing real is broken here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from scoopi.errors import PeriodError
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.scheduler.decisions import Decision
from scoopi.scheduler.planning.plan_faults import PlanFault, PlanFaults, unless_faulty

MADE = Decision("worker_lost", None, WorkerRecord(worker="w", incarnation="1"))


def halfway(error: Exception) -> Iterator[Decision]:
    yield MADE
    raise error


def whole() -> Iterator[Decision]:
    yield MADE


def test_a_step_that_fails_decides_nothing_and_is_noted() -> None:
    faults = PlanFaults()
    assert faults.decided("p", "p/!1", halfway, OverflowError("too late")) == []
    assert faults.decided("p", "p/!1", halfway, ValueError("again")) == []
    assert faults.decided("q", "q", whole) == [replace(MADE, step="q")]
    assert [each.text for each in faults.of("p")] == ["p/!1 cannot be planned: OverflowError: too late"]
    assert faults.of("q") == []


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (PlanFault("p", "p", OverflowError("big")), "the slots of p cannot be planned: OverflowError: big"),
        (PlanFault("p", "p/!1/1", KeyError()), "p/!1/1 cannot be planned: KeyError"),
        (
            PlanFault("p", "p/x", PeriodError("x is not a slot", hint="h")),
            "p/x cannot be planned: x is not a slot",
        ),
    ],
)
def test_a_fault_says_what_cannot_be_planned_and_why(fault: PlanFault, text: str) -> None:
    assert fault.text == text


def test_where_nothing_is_expected_to_fail_the_error_is_raised() -> None:
    with pytest.raises(OverflowError):
        PlanFaults(is_strict=True).decided("p", "p", halfway, OverflowError())


def test_one_subject_can_be_tried_alone() -> None:
    faults = PlanFaults(only="q")
    assert faults.decided("p", "p", halfway, OverflowError()) == []
    assert faults.decided("q", "q", whole) == [replace(MADE, step="q")]
    assert not faults.found


def test_decisions_have_the_first_step_that_decided_them() -> None:
    def within() -> Iterator[Decision]:
        yield from PlanFaults().decided("p", "p/!1/1", whole)

    assert [each.step for each in PlanFaults().decided("p", "p/!1", within)] == ["p/!1/1"]


def test_a_calculation_that_fails_gives_nothing() -> None:
    assert unless_faulty(int, "x") is None
    assert unless_faulty(int, "7") == 7
