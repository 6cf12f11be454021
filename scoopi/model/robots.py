"""RobotsAnswer: what a host's robots.txt says to this agent, as workers report it and the store keeps it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

ROBOTS_PATH = "/robots.txt"
MOST_ROBOTS_BYTES = 524_288
"""What is behind them is not read (RFC 9309, 2.5, asks for 500 KiB at least)."""
MOST_ROBOTS_REDIRECTS = 5


class RobotsLine(NamedTuple):
    """A line of robots.txt that concerns this agent; `number` counts from 1."""

    number: int
    text: str


class RobotsKind(StrEnum):
    """What came of a request for robots.txt."""

    KNOWN = "KNOWN"
    """The rules are known; there may be none."""
    LATER = "LATER"
    """The host did not answer, or with an error of its own; its pages wait."""
    NEVER = "NEVER"
    """The host cannot be asked at all; its pages fail for the same reason."""


class RobotsAnswer(msgspec.Struct, frozen=True, array_like=True):
    """What came of a request for a host's robots.txt.

    Attributes:
        lines: those for this agent; empty: everything is allowed.
        note: where the rules are from: `200`, `404`, or why there are none.
        cause, what, hint: of a failure, as in `ScoopiError`.
    """

    kind: RobotsKind
    lines: tuple[RobotsLine, ...] = ()
    note: str = ""
    cause: str = ""
    what: str = ""
    hint: str = ""
