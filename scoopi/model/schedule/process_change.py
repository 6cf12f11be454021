"""ProcessChange: one change of a process by hand, and who asked for it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

ProcessChangeName = Literal["added", "changed", "removed", "paused", "resumed", "interval"]


class ProcessChange(msgspec.Struct, frozen=True):
    """One change of a process by hand.

    Attributes:
        by: the user who asked for it.
        host: the machine on which the command ran.
        reason: of a pause; of an interval its length; of a deployment the hash of its bundle.
    """

    change: ProcessChangeName
    at: datetime
    by: str
    host: str
    reason: str = ""

    def is_repeated_by(self, other: ProcessChange) -> bool:
        """Whether another change does the same: a deployment that was interrupted is repeated."""
        return (self.change, self.reason) == (other.change, other.reason)
