"""given_up: what a node says of a store that it no longer tries again."""

from __future__ import annotations

from scoopi.errors import StoreError

TRIED_AGAIN = "nothing is known yet: it is tried again"
"""The hint of a call to the cluster that failed."""
START_AGAIN = "look at the log and the heap of the cluster's members, then start this node again"


def given_up(error: StoreError, doing: str, after_s: float) -> StoreError:
    """The error as the last line of a node, which promises no other try.

    Args:
        doing: what the node was about to do.
        after_s: so long it was tried.
    """
    hint = START_AGAIN if error.hint == TRIED_AGAIN else error.hint
    return StoreError(
        f"{doing}: this node gave up after {after_s:.0f} s: {error.what}", at=error.at, hint=hint
    )
