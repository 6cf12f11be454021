"""Progress: how far a run is, for whoever watches it."""

from __future__ import annotations

import msgspec


class Progress(msgspec.Struct, frozen=True):
    """A run as it stands now, seen from this node.

    Attributes:
        done: jobs ended so far, failed ones included.
        failed: jobs ended as failed.
        left: jobs known and not ended; grows with each link.
        pages: pages loaded so far.
        waiting_hosts: `host:port` of hosts that have jobs and no free grant now.
        seconds: since the run (or its resuming) began.
    """

    done: int = 0
    failed: int = 0
    left: int = 0
    pages: int = 0
    waiting_hosts: tuple[str, ...] = ()
    seconds: float = 0.0
