"""RequestSlots: the requests that a worker has in flight, and whether there is room for another."""

from __future__ import annotations

import math
import resource
import time
from collections.abc import Callable

from scoopi.politeness.standing import Standing

MOST_OF_REQUESTS = {Standing.UNKNOWN: 0.75, Standing.SILENT: 0.25}
"""The share of a worker's requests in flight that hosts of this standing or a worse one may have. The rest is
reserved for hosts that answer; otherwise a few hundred dead hosts would occupy all until their timeouts."""
ROBOTS_A_PAGE = 2
"""Slots for a robots.txt, for each slot for a page. They are separate: with many new hosts, requests for a
robots.txt would otherwise hold up the pages of hosts whose file is known."""
STALLED_LEAST_S = 0.05
"""A request is stalled if its host has not answered so far, and it has waited four times as long as pages
usually take, but at least this many seconds, and at most STALLED_MOST_S."""
STALLED_MOST_S = 0.25
MOST_STALLED = 2048
"""Up to this many stalled requests of a worker are not counted as in flight: each needs a connection, but no
processor time and little memory, and of many new hosts some never answer."""


def most_stalled() -> int:
    """Return MOST_STALLED, or half of the files that a worker may have open, if that is less."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(MOST_STALLED, files // 2)


class _Slots:
    """Slots for requests of one kind: how many there are, and what has them.

    Attributes:
        most: how many slots there are.
        taken: how many of them requests have that are in flight and not stalled.
        doubtful: how many of these requests are to hosts that may not answer, by `Standing`.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0
        self.doubtful = [0] * len(Standing)

    def has_room(self, standing: Standing) -> bool:
        if self.taken >= self.most:
            return False
        if not standing:
            return True
        return sum(self.doubtful[standing:]) < max(1, int(self.most * MOST_OF_REQUESTS[standing]))


class RequestSlots:
    """The requests that a worker has in flight, and whether there is room for another.

    Belongs to the task runner's thread; its attributes may be read by any thread.

    Args:
        most: how many pages may be in flight.
        most_stalled: how many stalled requests take no slot.

    Attributes:
        hosts: the hosts of the requests in flight, by job id.
        stalled_robots: how many requests for a robots.txt are stalled; jobs of as many hosts wait for these.
    """

    def __init__(
        self, most: int, most_stalled: int = MOST_STALLED, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.hosts: dict[str, str] = {}
        self.stalled_robots = 0
        self._clock = clock
        self._most, self._most_stalled = most, most_stalled
        self._pages, self._robots = _Slots(most), _Slots(ROBOTS_A_PAGE * most)
        self._kinds: dict[str, _Slots] = {}
        self._doubtful: dict[str, tuple[Standing, float]] = {}  # in the order of their begin
        self._stalled: set[str] = set()
        self._stalled_after_s = STALLED_LEAST_S

    @property
    def total(self) -> int:
        """How many requests for pages may be in flight now, with those that are stalled."""
        return self._pages.most + len(self._stalled)

    def adapt(self, wanted: int, wait_s: float | None) -> None:
        """Adapt the number of slots, and the time until a request is stalled, to the worker's measured speed.

        Args:
            wanted: how many pages in flight its steps can keep up with.
            wait_s: how many seconds a page usually takes to load; None while that is not known.
        """
        self._pages.most = min(self._most, wanted)
        usual_s = 0.0 if wait_s is None else wait_s
        self._stalled_after_s = min(max(STALLED_LEAST_S, 4 * usual_s), STALLED_MOST_S)

    def has_room(self, standing: Standing, is_robots: bool = False) -> bool:
        """Whether a request to a host of that standing, for its robots.txt or a page, has a slot."""
        if self._doubtful:
            self._find_stalled()
        return (self._robots if is_robots else self._pages).has_room(standing)

    def begin(self, job: str, host: str, standing: Standing, is_robots: bool = False) -> None:
        """Take a slot for the first request of a job, to a host of that standing."""
        self._take(job, host, self._robots if is_robots else self._pages)
        if standing:
            self._doubtful[job] = standing, self._clock()
            self._kinds[job].doubtful[standing] += 1

    def begin_next(self, job: str, host: str) -> None:
        """Note a further request of a job, such as for a redirect; it keeps the slot of an unanswered one."""
        if job in self._kinds:
            self.hosts[job] = host
        else:
            self._take(job, host, self._pages)

    def end(self, job: str) -> None:
        """Free the slot of a job's request, as it was answered or not sent."""
        kind = self._kinds.pop(job, None)
        if kind is None:
            return
        del self.hosts[job]
        if job in self._stalled:
            self._stalled.remove(job)
            self.stalled_robots -= kind is self._robots
            return
        kind.taken -= 1
        if job in self._doubtful:
            kind.doubtful[self._doubtful.pop(job)[0]] -= 1

    def stalls_in(self) -> float:
        """Seconds until a request may stall and so free its slot; 0 if one just has, infinity if none can."""
        if self._find_stalled():
            return 0.0
        first = next(iter(self._doubtful.values()), None)
        if first is None or len(self._stalled) >= self._most_stalled:
            return math.inf
        return max(0.0, first[1] + self._stalled_after_s - self._clock())

    def _take(self, job: str, host: str, kind: _Slots) -> None:
        self.hosts[job] = host
        self._kinds[job] = kind
        kind.taken += 1

    def _find_stalled(self) -> bool:
        """Free the slots of requests that are stalled by now, and return whether there are new ones."""
        before, known = self._clock() - self._stalled_after_s, len(self._stalled)
        while self._doubtful and len(self._stalled) < self._most_stalled:
            job, (standing, since) = next(iter(self._doubtful.items()))
            if since > before:
                break
            del self._doubtful[job]
            self._stalled.add(job)
            kind = self._kinds[job]
            kind.taken -= 1
            kind.doubtful[standing] -= 1
            self.stalled_robots += kind is self._robots
        return len(self._stalled) > known
