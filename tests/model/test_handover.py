"""Payload: a step gets the kind of input that it needs, or says what it got."""

from __future__ import annotations

import pytest

from scoopi.errors import StepError
from scoopi.model.handover import Payload
from scoopi.model.locator import Locator

PAGE = Locator("a", "b", "/c")
PAYLOAD = Payload("job", PAGE, 2, "task", "input", {"name": "x"})


def test_the_expected_input_is_given() -> None:
    assert PAYLOAD.expect(str) == "input"


def test_another_input_is_an_error_of_the_order_of_steps() -> None:
    with pytest.raises(StepError, match="the step expects int, but received str") as raised:
        PAYLOAD.expect(int)
    assert "order of the task's steps" in raised.value.hint


def test_the_next_step_gets_the_output_and_the_rest_as_it_was() -> None:
    assert PAYLOAD.advance(7) == Payload("job", PAGE, 2, "task", 7, {"name": "x"})
