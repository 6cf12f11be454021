"""RobotsCache: what this node knows of each host's robots.txt, and what it has yet to store."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

import msgspec

from scoopi.model.robots import RobotsAnswer, RobotsKind
from scoopi.politeness.robots.robots_rules import RobotsRules
from scoopi.politeness.robots.robots_store import RobotsReader, RobotsStore

ROUND_S = 0.25
"""Seconds between two polls of the hosts whose robots.txt another node reads."""
MOST_AT_ONCE = 500


class RobotsRequest(msgspec.Struct, frozen=True):
    """A robots.txt that jobs wait for.

    Attributes:
        url: its address.
        public_only: see `Request`.
    """

    url: str
    public_only: bool = False


class RobotsCache:
    """What this node knows of each host's robots.txt, and what it has yet to store.

    Connects the task runner, which never waits, and the job runner, which calls the store.

    The job runner's thread calls `round`; the task runner's thread calls all other methods. They share
    dictionaries and deques, which are changed by single operations only.

    Args:
        wake_rounds: requests a round.
        wake_tasks: called when `take_news` has something new.
    """

    def __init__(
        self,
        store: RobotsStore,
        wake_rounds: Callable[[], None],
        wake_tasks: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._wake_rounds = wake_rounds
        self._wake_tasks = wake_tasks
        self._clock = clock
        self._news: deque[tuple[str, RobotsRequest | None]] = deque()
        self._rules: dict[str, RobotsRules] = {}
        self._requests: dict[str, RobotsRequest] = {}
        self._answers: deque[tuple[str, RobotsAnswer]] = deque()
        self._released: dict[str, None] = {}
        self._read_elsewhere: set[str] = set()
        self._round_at = -math.inf

    def rules(self, host: str) -> RobotsRules | None:
        """The rules of a host; None while they are not known."""
        return self._rules.get(host)

    def seek(self, host: str, request: RobotsRequest) -> None:
        """Request the rules of a host; `take_news` returns the answer.

        Args:
            request: is returned if this node has to read the host's robots.txt itself.
        """
        if host not in self._requests:
            self._released.pop(host, None)
            self._requests[host] = request
            self._wake_rounds()

    def answered(self, host: str, answer: RobotsAnswer) -> None:
        """Note that this node has read a host's robots.txt; the next round stores it."""
        if answer.kind is RobotsKind.KNOWN:
            self._rules[host] = RobotsRules(answer.lines)
            self._answers.append((host, answer))
            self._wake_rounds()

    def released(self, host: str) -> None:
        """Note that this node does not read a host's robots.txt after all; other nodes may wait for it."""
        self._released[host] = None
        self._wake_rounds()

    def take_news(self) -> list[tuple[str, RobotsRequest | None]]:
        """Remove and return the answers to `seek`, as (host, None) or (host, request).

        With None, the host's rules are known now; with a request, this node has to send it.
        """
        return [self._news.popleft() for _ in range(len(self._news))]

    def round(self) -> None:
        """Store what this node has read, and look up the hosts that were sought.

        Raises:
            StoreError: the next round tries again.
        """
        self._keep()
        now = self._clock()
        if now >= self._round_at:
            self._round_at = now + ROUND_S
            self._read_elsewhere.clear()
        hosts = [host for host in list(self._requests) if host not in self._read_elsewhere]
        for first in range(0, len(hosts), MOST_AT_ONCE):
            self._look_up(hosts[first : first + MOST_AT_ONCE])

    def _keep(self) -> None:
        answers = list(self._answers)
        self._store.close(dict(answers))
        for _ in answers:
            self._answers.popleft()
        released = list(self._released)
        self._store.release(released)
        for host in released:
            self._released.pop(host, None)

    def _look_up(self, hosts: list[str]) -> None:
        for host, state in self._store.open(hosts).items():
            if state is RobotsReader.ANOTHER:
                self._read_elsewhere.add(host)
                continue
            request = self._requests.pop(host)
            if isinstance(state, RobotsAnswer):
                self._rules[host] = RobotsRules(state.lines)
            self._news.append((host, None if isinstance(state, RobotsAnswer) else request))
        if self._news:
            self._wake_tasks()
