"""StateChange and GateChange: what has become of a job, in the order in which it happened."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

SlotState = Literal["embryo", "in_progress", "final_run", "processed", "noop", "skipped", "failed"]


class StateChange(msgspec.Struct, frozen=True):
    """A change of a job's state, or a manual change of the job.

    Attributes:
        by: the user who made it; empty if a pass did.
    """

    state: SlotState
    at: datetime
    by: str = ""
    reason: str = ""


class GateChange(msgspec.Struct, frozen=True):
    """A gate that a job began to wait at; `gate` is empty if all gates opened."""

    gate: str
    at: datetime
    reason: str = ""
