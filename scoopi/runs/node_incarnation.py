"""NodeIncarnation: the random number of one start of a node, or of one creation of a run."""

from __future__ import annotations

from typing import NewType

NodeIncarnation = NewType("NodeIncarnation", str)

INCARNATION_BYTES = 8


def new_incarnation() -> NodeIncarnation:
    """16 hex digits that no other start has."""
    import secrets  # late: workers are started before a number is needed

    return NodeIncarnation(secrets.token_hex(INCARNATION_BYTES))
