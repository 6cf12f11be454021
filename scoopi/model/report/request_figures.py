"""HostRequestFigures: the requests of a run to one host, as `scoopi politeness` shows them."""

from __future__ import annotations

import msgspec


class HostRequestFigures(msgspec.Struct, frozen=True):
    """The requests of a run to one host, as `scoopi politeness` shows them.

    The figures are summed over all processes whose files were read.

    Attributes:
        host: `host:port`.
        requests: the number of requests sent, those for robots.txt included.
        per_s: requests per second from the first to the last; None if there are fewer than two.
        shortest_gap_ms: the shortest time between the starts of two successive requests; None if there are
            fewer than two.
        errors: the number of requests that failed because of the host, by reason.
        sleeps: how often the host asked for a pause (Retry-After), `slept_s` seconds in all.
        rests: how often requests were paused because of the host's errors.
        robots: `no rules`, the number of rules, or why they are unknown; empty if robots.txt was not
            requested.
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


class RunRequestFigures(msgspec.Struct, frozen=True):
    """The requests of a run to its hosts.

    Attributes:
        run: the run's folder, or the first of several, as the user may type it.
        processes: the number of processes that sent the requests.
        nodes: the ids of their nodes; each node logs its own requests, on its own machine.
    """

    run: str
    processes: int
    nodes: tuple[str, ...]
    hosts: tuple[HostRequestFigures, ...]
