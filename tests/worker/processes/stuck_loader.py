"""StuckLoader: a loader that cannot be closed for a long time, as when a name is still looked up."""

from __future__ import annotations

import threading
from collections.abc import Callable

from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.worker_parts import GroupPlan, WorkerParts
from tests.worker.played_loader import PlayedLoader

STUCK_S = 60.0
RELEASED = threading.Event()


class StuckLoader(PlayedLoader):
    """Closed when RELEASED is set."""

    def close(self) -> None:
        RELEASED.wait(STUCK_S)


def wire(_: bytes, __: Callable[[str, str], None]) -> WorkerParts:
    """The parts of a worker that has it."""
    return WorkerParts(
        StuckLoader(),
        lambda _: GroupPlan((), "loader", "here"),
        ChildJobs(lambda _: "there.example:80", 9),
        FoundValues({}, frozenset()),
    )
