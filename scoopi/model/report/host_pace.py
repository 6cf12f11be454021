"""HostPace: how a run has treated one host, as `scoopi politeness` shows it."""

from __future__ import annotations

import msgspec


class HostPace(msgspec.Struct, frozen=True):
    """How a run has treated one host, as `scoopi politeness` shows it.

    All processes whose files were read are added up.

    Attributes:
        host: `host:port`.
        requests: that were sent, those for robots.txt included.
        per_s: requests per second from the first to the last; None with fewer than two.
        shortest_gap_ms: between the starts of two successive requests; None with fewer than two.
        errors: requests that failed for a reason of the host's, by reason.
        sleeps: how often the host asked to be left alone (Retry-After), for `slept_s` seconds in all.
        rests: how often it was left alone for its errors.
        robots: `no rules`, the number of rules, or why they are not known; empty if it was not asked.
    """

    host: str
    requests: int = 0
    per_s: float | None = None
    shortest_gap_ms: float | None = None
    errors: dict[str, int] = {}
    sleeps: int = 0
    slept_s: float = 0.0
    rests: int = 0
    robots: str = ""


class RunPace(msgspec.Struct, frozen=True):
    """How a run has treated its hosts.

    Attributes:
        run: the run's folder, or the first of several, as the user may type it.
        processes: how many processes have sent the requests.
        nodes: the ids of their nodes; a node keeps the log of its own requests, on its own machine.
    """

    run: str
    processes: int
    nodes: tuple[str, ...]
    hosts: tuple[HostPace, ...]
