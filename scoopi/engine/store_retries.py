"""StoreRetries: what the store has failed is tried again for a while."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from scoopi.errors import RecordError, StoreError
from scoopi.store.given_up import given_up

log = logging.getLogger(__name__)

RETRY_S = 0.5
Result = TypeVar("Result")


def tried_again(
    doing: str, attempt: Callable[[], Result], patience_s: float, is_stopped: Callable[[], bool]
) -> Result:
    """What the attempt returns, when the store has answered all that it asks.

    Args:
        doing: what is tried; for the log.
        attempt: the same done twice as done once.
        patience_s: so long from now it is tried again.
        is_stopped: whether it is to be given up before.
    Raises:
        StoreError: it was given up.
    """
    began = time.monotonic()
    while True:
        try:
            return attempt()
        except RecordError:
            raise
        except StoreError as error:
            tried_s = time.monotonic() - began
            if is_stopped() or not patience_s:
                raise
            if tried_s > patience_s:
                raise given_up(error, doing, tried_s) from error
            log.warning("%s: the store is tried again: %s", doing, error.what)
        time.sleep(RETRY_S)  # nothing tells when it answers again
