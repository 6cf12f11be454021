"""RunPlace: which run a node ends its part of, and where its files are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Which run this is.

    Attributes:
        run: its id.
        folder: its folder.
        incarnation: the run's own.
        publishes_parts: whether what is committed is published when the run is stopped before its end.
        resume: the command that goes on with it.
        is_alone: it is a run on one machine.
        was_over: it was ending or over when this node came; there is nothing to run.
    """

    run: str
    folder: Path
    incarnation: str
    publishes_parts: bool
    resume: str
    was_over: bool = False
    is_alone: bool = False
