"""Member: what a node says of itself with each heartbeat."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

from scoopi.model.record_fields import Count


class MemberState(StrEnum):
    """LIVE; LEFT: gone in the orderly way; LOST: said by another, until the node itself beats again."""

    LIVE = "LIVE"
    LEFT = "LEFT"
    LOST = "LOST"


class Load(NamedTuple):
    """What a node has done and does.

    Attributes:
        takes: how often it has begun to take jobs; grown before the store is asked.
        idle: it holds no job, takes none just now, and owes the store nothing.
        owes_rows: it leaves, and not all rows that it has committed stand in its files.
        pages: pages that it has loaded.
    """

    takes: int
    idle: bool
    owes_rows: bool = False
    pages: int = 0


class Member(msgspec.Struct, frozen=True):
    """The record of an incarnation; `number` grows with each heartbeat, the rest is its Load.

    Attributes:
        start: how many incarnations its node had before; the newest is what the node is now.
        failed: how many heartbeats were not acknowledged; so the next try is unlike the one before,
            which may stand in the store since long.
    """

    node: str
    number: Count
    state: MemberState
    takes: Count
    idle: bool
    owes_rows: bool = False
    pages: Count = 0
    failed: Count = 0
    start: Count = 0


class Look(NamedTuple):
    """What one reading of all heartbeats showed.

    Attributes:
        at: when it began; the watcher's monotonic seconds.
        lost: incarnations that are lost.
        left: incarnations that have left in the orderly way.
        live: how many are neither, the watcher's own among them.
        idle: whether all of those said that they are idle.
    """

    at: float
    lost: frozenset[str]
    left: frozenset[str]
    live: int
    idle: bool = False
