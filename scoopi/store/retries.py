"""retried and first_won: retry calls to a store, and log and raise what belongs to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from scoopi.errors import RecordError, StoreError
from scoopi.store.store_outage import StoreOutage

FIRST_PAUSE_S = 0.1
MOST_PAUSE_S = 0.5
"""The pause between two attempts doubles up to this."""
TRIES = 20
RETRIED = "the outcome is not known yet: the call is retried"
"""The hint of a single failed call to the cluster, which its caller retries."""
START_AGAIN = "check the log and the heap of the cluster's members, then start this node again"
ValueType = TypeVar("ValueType")


def retried(
    doing: str,
    attempt: Callable[[], ValueType],
    timeout_s: float,
    is_stopped: Callable[[], bool],
    wait: Callable[[float], object] = time.sleep,
    asked: str = "the store",
) -> ValueType:
    """Call `attempt` until it raises no StoreError; return its result.

    The first failure and the recovery are logged as warnings, further failures at debug level. Blocks between
    two attempts.

    Args:
        doing: what is attempted, for the log and the error.
        attempt: calls the store; must be idempotent.
        timeout_s: how long to retry, in seconds; 0 to never retry.
        is_stopped: polled after each failure; true to give up.
        wait: pauses for a number of seconds.
        asked: what is called, for the log.
    Raises:
        StoreError: the attempts have failed for longer than `timeout_s`, or `is_stopped` returned true.
        RecordError: the store has a record that cannot be decoded; this is not retried.
    """
    began, pause_s, outage = time.monotonic(), FIRST_PAUSE_S, StoreOutage.of(doing, asked)
    while True:
        try:
            result = attempt()
            outage.over()
            return result
        except RecordError:
            raise
        except StoreError as error:
            tried_s = time.monotonic() - began
            if is_stopped() or not timeout_s:
                raise
            if tried_s > timeout_s:
                raise given_up(error, doing, tried_s) from error
            outage.failed(error)
        wait(min(pause_s, MOST_PAUSE_S))
        pause_s *= 2


def first_won(attempt: Callable[[], ValueType | None], failed: str, hint: str = "try again") -> ValueType:
    """Repeat a conditional write until it is won; return its result.

    Args:
        attempt: reads a record, writes what follows from it, and returns None if another node was first.
        failed: the error message.
    Raises:
        StoreError: other nodes were first TRIES times in a row.
    """
    for _ in range(TRIES):
        if (result := attempt()) is not None:
            return result
    raise StoreError(f"{failed} in {TRIES} tries", hint=hint)


def given_up(error: StoreError, doing: str, after_s: float) -> StoreError:
    """The error with which a node gives up; unlike that of a single call, its hint promises no retry.

    Args:
        error: the error of the last attempt.
        doing: what the node was doing.
        after_s: how long it has retried, in seconds.
    """
    hint = START_AGAIN if error.hint == RETRIED else error.hint
    return StoreError(
        f"{doing}: this node gave up after {after_s:.0f} s: {error.what}", at=error.at, hint=hint
    )
