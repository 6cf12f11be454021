"""Retries: how long calls to a store that fails are made again, and what is logged and raised meanwhile."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from scoopi.errors import RecordError, StoreError

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.1
MOST_PAUSE_S = 0.5
"""The pause between two attempts doubles up to this."""
TRIES = 20
RETRIED = "nothing is known yet: the call is retried"
"""The hint of a call to the cluster that failed."""
START_AGAIN = "look at the log and the heap of the cluster's members, then start this node again"
Value = TypeVar("Value")


def retried(
    doing: str,
    attempt: Callable[[], Value],
    timeout_s: float,
    is_stopped: Callable[[], bool],
    wait: Callable[[float], object] = time.sleep,
    asked: str = "the store",
) -> Value:
    """What the attempt returns once the store has answered all its calls.

    Args:
        doing: what is attempted; for the log and the error.
        attempt: has the same effect when it is made twice.
        timeout_s: how long it is retried; 0: never.
        is_stopped: whether to give up at the next failure.
        wait: pauses for that many seconds.
        asked: what answers the calls; for the log.
    Raises:
        StoreError: the attempts have failed for too long.
        RecordError: the store holds a record that cannot be decoded; it is not retried.
    """
    began, pause_s = time.monotonic(), FIRST_PAUSE_S
    while True:
        try:
            return attempt()
        except RecordError:
            raise
        except StoreError as error:
            tried_s = time.monotonic() - began
            if is_stopped() or not timeout_s:
                raise
            if tried_s > timeout_s:
                raise given_up(error, doing, tried_s) from error
            log_retry(doing, error, asked)
        wait(min(pause_s, MOST_PAUSE_S))
        pause_s *= 2


@contextmanager
def retried_next_round(doing: str) -> Iterator[None]:
    """Log that the store failed the block, which a loop runs again with its next round.

    Raises:
        RecordError: the store holds a record that cannot be decoded.
    """
    try:
        yield
    except RecordError:
        raise
    except StoreError as error:
        log_retry(doing, error)


def first_won(attempt: Callable[[], Value | None], failed: str, hint: str = "try again") -> Value:
    """The first result of a conditional write, attempted again while other nodes win.

    Args:
        attempt: reads, and writes what follows from it; returns None when another node was first.
        failed: what the error reports.
    Raises:
        StoreError: others have won TRIES times in a row.
    """
    for _ in range(TRIES):
        if (result := attempt()) is not None:
            return result
    raise StoreError(f"{failed} in {TRIES} tries", hint=hint)


def log_retry(doing: str, error: StoreError, asked: str = "the store") -> None:
    """Log that what is being done failed, and is retried."""
    log.warning("%s: %s failed, retrying: %s", doing, asked, error.what)


def given_up(error: StoreError, doing: str, after_s: float) -> StoreError:
    """The error that ends a node; its hint promises no further retry.

    Args:
        doing: what the node was doing.
        after_s: how long it has been retried.
    """
    hint = START_AGAIN if error.hint == RETRIED else error.hint
    return StoreError(
        f"{doing}: this node gave up after {after_s:.0f} s: {error.what}", at=error.at, hint=hint
    )
