"""RunNode: a further node of an attempt's run, besides the first."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

FIRST_NODE = 1
"""The number of the first node, which is the attempt's own process."""
RUN = "run"
"""The key of the first node's progress that holds the name of the run, by which other nodes join it."""


class RunNode(msgspec.Struct, frozen=True, kw_only=True):
    """A further node of an attempt's run; the first node is the attempt's own process.

    Attributes:
        number: the number of the node, from 2; also its id in the run.
        status: `free` (without a worker), `placed` (on a worker that has not claimed it), `running` or
            `ended`.
        fence: grows with each claim; writes with an older fence are refused.
        worker: the worker where it is placed, runs or ended.
        explanation: why it ended before the run; empty if it did not.
        op: identifies the claim, so that no two records of it are equal.
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
        """Whether it occupies a slot of its worker."""
        return self.status in ("placed", "running")
