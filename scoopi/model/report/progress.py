"""Progress: how far a run has come."""

from __future__ import annotations

import msgspec


class Progress(msgspec.Struct, frozen=True):
    """The progress of a run, as seen from this node.

    Attributes:
        done: the number of ended jobs, failed and skipped ones included.
        failed: the number of jobs that failed.
        left: the number of known jobs that have not ended; grows with each link.
        pages: the number of loaded pages.
        waiting_hosts: `host:port` of the hosts that have jobs, but no free grant now.
        waiting_reason: why requests to the first of them are delayed beyond its pace; may be empty.
        seconds: the time since the run, or its resumption, began.
        retrying: the number of jobs that wait at this node for another attempt.
        retry_in_s: seconds until the next of these is due.
        is_complete: whether every page of the run is known, so that `left` does not grow any more.
        skipped: the number of jobs that robots.txt or a budget did not allow.
    """

    done: int = 0
    failed: int = 0
    left: int = 0
    pages: int = 0
    waiting_hosts: tuple[str, ...] = ()
    waiting_reason: str = ""
    seconds: float = 0.0
    retrying: int = 0
    retry_in_s: float = 0.0
    is_complete: bool = False
    skipped: int = 0
