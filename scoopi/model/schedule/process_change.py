"""ProcessChange: a manual change of a process, and who made it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

ProcessChangeName = Literal["added", "changed", "removed", "paused", "resumed", "interval"]


class ProcessChange(msgspec.Struct, frozen=True):
    """A manual change of a process.

    Attributes:
        by: the user who made it.
        host: the machine on which the command ran.
        reason: the reason of a pause, the length of an interval, or the digest of a deployed bundle.
    """

    change: ProcessChangeName
    at: datetime
    by: str
    host: str
    reason: str = ""

    def is_repeated_by(self, other: ProcessChange) -> bool:
        """Whether another change is the same, as after an interrupted deployment that is repeated."""
        return (self.change, self.reason) == (other.change, other.reason)
