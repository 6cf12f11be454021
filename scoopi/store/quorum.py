"""await_quorum: waits until so many nodes of a run beat."""

from __future__ import annotations

import threading
import time

from scoopi.errors import ClusterError
from scoopi.store.member import Load
from scoopi.store.membership import Membership

LOOK_S = 0.2


def await_quorum(members: Membership, size: int, timeout_s: float) -> None:
    """Beat, and wait until `size` nodes beat, this one among them.

    Raises:
        ClusterError: they did not come together in time.
        StoreError: the store does not answer.
    Source: design, "Name of a cluster run".
    """
    end = time.monotonic() + timeout_s
    waiting = threading.Event()
    while size > 1:
        members.beat(Load(0, True))
        members.watch()
        live = len(members.live())
        if live >= size:
            return
        if time.monotonic() > end:
            raise ClusterError(
                f"{live} of {size} nodes came together in {timeout_s:.0f} s",
                at="scoopi.cluster.quorum.size",
                mend="start the others, or ask for fewer",
            )
        waiting.wait(LOOK_S)
