"""RobotsAnswer: the rules of a host's robots.txt for this agent, as workers report them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

ROBOTS_PATH = "/robots.txt"
MOST_ROBOTS_BYTES = 524_288
"""The rest of the file is ignored (RFC 9309, 2.5, requires at least 500 KiB)."""
MOST_ROBOTS_REDIRECTS = 5


class RobotsLine(NamedTuple):
    """A line of robots.txt that applies to this agent; `number` counts from 1."""

    number: int
    text: str


class RobotsKind(StrEnum):
    """The outcome of a request for robots.txt."""

    KNOWN = "KNOWN"
    """The rules are known; there may be none."""
    LATER = "LATER"
    """The host did not respond, or with a server error; its pages wait."""
    NEVER = "NEVER"
    """The host cannot be reached at all; its pages fail for the same reason."""


class RobotsAnswer(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of a request for a host's robots.txt.

    Attributes:
        lines: the rules for this agent; empty if everything is allowed.
        note: where the rules are from: `200`, `404`, or why there are none.
        cause, what, hint: as in `ScoopiError`; empty unless the request failed.
    """

    kind: RobotsKind
    lines: tuple[RobotsLine, ...] = ()
    note: str = ""
    cause: str = ""
    what: str = ""
    hint: str = ""
