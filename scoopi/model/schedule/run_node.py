"""RunNode: a further node of the run of an attempt, beside the first."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

FIRST_NODE = 1
"""The number of the first node, which is the attempt's own process."""
RUN = "run"
"""What the first node reports as progress when the run has begun: its name, under which others join it."""


class RunNode(msgspec.Struct, frozen=True, kw_only=True):
    """A further node of the run of an attempt; the first one is the attempt's own process.

    Attributes:
        number: from 2; also the node's id in the run.
        status: `free` without a worker, `placed` on one that has not claimed it, `running`, or `ended`.
        fence: grows with each claim; a write with an older one is refused.
        worker: where it is placed, runs, or has ended.
        explanation: why it ended before the run did; empty if it did not.
        op: names the claim, so that no two records of it are equal.
    """

    number: int
    status: Literal["free", "placed", "running", "ended"] = "free"
    fence: int = 0
    worker: str = ""
    started: datetime | None = None
    explanation: str = ""
    op: str = ""

    @property
    def is_held(self) -> bool:
        """Whether it takes a place of its worker."""
        return self.status in ("placed", "running")
