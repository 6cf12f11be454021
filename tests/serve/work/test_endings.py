"""The end of a process becomes the status of its attempt."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.model.schedule.process import Executes, Process
from scoopi.serve.work.endings import HANDED_BACK, ending_of

COMMAND = Process(
    name="p",
    mode="manual",
    executes=Executes(kind="command", what=("x",), exit_codes={3: "noop", 4: "not_ready"}),
)
FUNCTION = Process(name="p", mode="manual", executes=Executes(kind="python", what=("m:f",)))
ANSWER = {"code": 0, "answer": {"status": "succeeded", "outputs": {"a": 1}}}


@pytest.mark.parametrize(
    ("process", "end", "status"),
    [
        (COMMAND, {"code": 0}, "succeeded"),
        (COMMAND, {"code": 1}, "failed"),
        (COMMAND, {"code": 3}, "noop"),
        (COMMAND, {"code": 4}, "not_ready"),
        (COMMAND, {"signal": 9}, "error"),
        (COMMAND, {"signal": 64}, "error"),
        (COMMAND, {"cause": "its worker has not renewed its heartbeat"}, HANDED_BACK),
        (COMMAND, {"fault": "its supervisor was killed"}, "error"),
        (FUNCTION, ANSWER, "succeeded"),
        (FUNCTION, {"code": 0, "answer": {"status": "failed", "explanation": "no"}}, "failed"),
        (FUNCTION, {"code": 0}, "error"),
    ],
)
def test_an_end_has_a_status(process: Process, end: dict[str, Any], status: str) -> None:
    assert ending_of(end, process, is_stopped=False, is_canceled=False).status == status


@pytest.mark.parametrize("end", [{"code": 0}, {"signal": 15}, {"cause": "killed"}, ANSWER])
def test_work_that_was_asked_to_stop_is_canceled_or_handed_back(end: dict[str, Any]) -> None:
    assert ending_of(end, FUNCTION, is_stopped=True, is_canceled=True).status == "canceled"
    assert ending_of(end, FUNCTION, is_stopped=True, is_canceled=False).status == HANDED_BACK


@pytest.mark.parametrize("end", [ANSWER, {"code": 0, "outputs": {"a": 1}}])
def test_a_drained_attempt_keeps_the_outputs_that_it_ended_with(end: dict[str, Any]) -> None:
    ending = ending_of(end, FUNCTION, is_stopped=False, is_canceled=True)
    assert (ending.status, ending.outputs) == ("canceled", {"a": 1})
    assert ending_of(end, FUNCTION, is_stopped=True, is_canceled=True).outputs == {}


def test_work_that_is_whole_counts_even_if_it_was_asked_to_stop() -> None:
    end = {"code": 0, "answer": {"status": "succeeded", "is_whole": True, "outputs": {"rows": 3}}}
    ending = ending_of(end, FUNCTION, is_stopped=True, is_canceled=False)
    assert (ending.status, ending.outputs) == ("succeeded", {"rows": 3})


def test_work_that_is_whole_says_that_a_cancel_came_too_late() -> None:
    end = {"code": 0, "answer": {"status": "succeeded", "is_whole": True}}
    ending = ending_of(end, FUNCTION, is_stopped=False, is_canceled=True)
    assert (ending.status, ending.explanation) == (
        "succeeded",
        "it was complete before the cancel took effect",
    )
    assert ending_of(end, FUNCTION, is_stopped=True, is_canceled=False).explanation == ""
