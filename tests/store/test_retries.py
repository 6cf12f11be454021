"""What is retried while the store fails, for how long, and what is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import pytest

from scoopi.errors import RecordError, StoreError
from scoopi.store.retries import RETRIED, START_AGAIN, TRIES, first_won, retried
from tests.clock import Clock


class Failing:
    """Fails that often, then answers."""

    def __init__(self, times: int, error: StoreError) -> None:
        self.left = times
        self.error = error

    def __call__(self) -> str:
        if self.left:
            self.left -= 1
            raise self.error
        return "answer"


AWAY = StoreError("the store is away", hint=RETRIED)


def never() -> bool:
    return False


def test_an_attempt_is_retried_until_the_store_answers_and_each_pause_is_longer_up_to_a_limit(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pauses: list[float] = []
    assert retried("seeding", Failing(5, AWAY), 60, never, pauses.append) == "answer"
    assert pauses == [0.1, 0.2, 0.4, 0.5, 0.5]
    assert caplog.messages == [
        "seeding: the store failed, retrying: the store is away",
        "seeding: the store answers again after 0 s",
    ], "an outage is logged once, and its end"


def test_an_attempt_that_has_failed_for_too_long_is_given_up_without_promising_a_retry(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr("scoopi.store.retries.time.monotonic", clock)

    def fail() -> NoReturn:
        clock.pass_s(5)
        raise AWAY

    with pytest.raises(StoreError, match="seeding: this node gave up after 15 s: the store is away") as late:
        retried("seeding", fail, 10, never, lambda _: None)
    assert late.value.hint == START_AGAIN


@pytest.mark.parametrize(("timeout_s", "is_stopped"), [(0.0, never), (60.0, lambda: True)])
def test_without_a_timeout_or_once_stopped_the_error_is_raised_as_it_is(
    timeout_s: float, is_stopped: Callable[[], bool]
) -> None:
    with pytest.raises(StoreError) as raised:
        retried("seeding", Failing(1, AWAY), timeout_s, is_stopped, lambda _: pytest.fail("no pause"))
    assert raised.value is AWAY


def test_a_record_that_cannot_be_decoded_is_never_retried() -> None:
    unreadable = RecordError("not a record")
    with pytest.raises(RecordError):
        retried("seeding", Failing(1, unreadable), 60, never, lambda _: pytest.fail("no pause"))


def test_a_write_that_others_win_is_attempted_again_and_given_up_when_they_always_win() -> None:
    answers = iter([None, None, "won"])
    assert first_won(lambda: next(answers), "no name was agreed on") == "won"
    attempts: list[None] = []
    with pytest.raises(StoreError, match=f"no name was agreed on in {TRIES} tries"):
        first_won(lambda: attempts.append(None), "no name was agreed on")
    assert len(attempts) == TRIES
