"""RobotsGate: lets through what robots.txt allows, and has each host's file read before its first page."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from enum import Enum

import msgspec

from scoopi.mediator.held_jobs import Pending, robots_pending
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.workers.denied_jobs import Denial
from scoopi.model.robots import ROBOTS_PATH, RobotsAnswer, RobotsKind
from scoopi.model.text.shown import shown
from scoopi.politeness.host_rate_limiter import FILE_HOST, HostRateLimiter
from scoopi.politeness.robots.robots_cache import RobotsCache, RobotsRequest
from scoopi.politeness.robots.robots_rules import RobotsRules

log = logging.getLogger(__name__)

LEAST_PAUSE_S = 0.1
"""Seconds between two requests for one robots.txt, at least, whatever the settings."""
NEVER_KEPT_S = 30.0
"""For how many seconds the jobs of a host fail whose robots.txt cannot be requested; then it is tried
again."""


class Clearance(Enum):
    """Whether a page that nothing denies may be requested now."""

    CLEAR = 1
    WAITS = 2
    """Not yet: robots.txt has to be read, or the store to note the request; `TaskQueues.wake` follows."""
    GONE = 3
    """Its job was handed back since it asked; nobody waits for an answer."""


Verdict = Clearance | Denial
"""Whether a page may be requested now, or why it must not be requested."""


class _Failed(msgspec.Struct, frozen=True):
    """Why a host's robots.txt could not be requested.

    Attributes:
        until: monotonic seconds until which jobs of the host fail for it.
        public_only: of the request, see `Request`.
    """

    answer: RobotsAnswer
    until: float
    public_only: bool


class RobotsGate:
    """Lets through what robots.txt allows, and has each host's file read before its first page.

    Belongs to the task runner's thread.

    Args:
        url_of: given an address as written, returns the normalized URL that is requested.
        is_off: given an address, whether the robots.txt of its site is not to be read.
    """

    def __init__(
        self,
        cache: RobotsCache,
        queues: TaskQueues,
        limiter: HostRateLimiter,
        url_of: Callable[[str], str],
        is_off: Callable[[str], bool] = lambda url: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cache = cache
        self._queues = queues
        self._limiter = limiter
        self._url_of = url_of
        self._is_off = is_off
        self._clock = clock
        self._rules: dict[str, RobotsRules] = {}
        self._failed: dict[str, _Failed] = {}
        self._reading: set[str] = set()

    def lets_all(self, host: str) -> bool:
        """Whether every address of the host may be requested now; False if that is not known."""
        rules = self._rules.get(host)
        return rules is not None and rules.allows_all and not self._limiter.given_up(host)

    def verdict(self, host: str, url: str, public_only: bool) -> Verdict:
        """Return whether an address of the host may be requested now, or why not.

        If the host's rules are not known, asks the cache for them and returns `Clearance.WAITS`.

        Args:
            url: as written, or absolute.
            public_only: see `Request`.
        """
        if host == FILE_HOST:
            return Clearance.CLEAR
        if self._is_off(url):
            return self._denial_of(host, url) or Clearance.CLEAR
        rules = self._rules.get(host) or self._known(host)
        if rules is not None:
            if rules.allows_all or not (rule := rules.refusal(self._url_of(url))):
                return self._denial_of(host, url) or Clearance.CLEAR
            why = f"{host}: disallowed by {rule}"
            return Denial(True, why, why)
        failed = self._failed.get(host)
        if failed is not None and self._clock() < failed.until and public_only >= failed.public_only:
            answer = failed.answer
            hint = f"; {answer.hint}" if answer.hint else ""
            return Denial(False, f"loader: {answer.cause}", f"{shown(url)}: {answer.what}{hint}")
        if host not in self._reading:
            self._cache.seek(host, RobotsRequest(robots_url(self._url_of(url)), public_only))
        return Clearance.WAITS

    def _denial_of(self, host: str, url: str) -> Denial | None:
        """The denial of a host that is given up, except after a rest, to see whether it is back."""
        why = self._limiter.given_up(host)
        if not why or not self._limiter.rest_s(host):
            return None
        return Denial(False, f"loader: {why}", f"{shown(url)}: {why}; `scoopi retry` asks it again")

    def take_up(self) -> None:
        """Apply rules that the cache has learned, and queue a request for each file that it wants read."""
        for host, request in self._cache.take_news():
            if request is None:
                self._known(host)
            elif host not in self._reading:
                self._reading.add(host)
                self._queues.add(robots_pending(host, request.url, request.public_only))

    def _known(self, host: str) -> RobotsRules | None:
        rules = self._cache.rules(host)
        if rules is not None:
            self._rules[host] = rules
            self._limiter.note_robots(host, rules.summary)
            if rules.crawl_delay_s:
                self._limiter.slow_down(host, rules.crawl_delay_s)
                log.info("host %s: robots.txt asks for a delay of %g s", host, rules.crawl_delay_s)
            self._queues.wake(host)
        return rules

    def answered(self, pending: Pending, answer: RobotsAnswer) -> None:
        """Handle the answer to a request for a robots.txt, or its failure.

        If it may be read later, the request is queued again; otherwise the jobs of its host are served.
        """
        host = pending.taken.host
        if answer.kind is RobotsKind.LATER and not self._limiter.given_up(host):
            log.info("host %s: its pages wait, as its robots.txt does not come: %s", host, answer.what)
            self._limiter.pause(host, LEAST_PAUSE_S)
            self._queues.add(pending)
            return
        self._reading.discard(host)
        if answer.kind is not RobotsKind.KNOWN:
            until = self._clock() + NEVER_KEPT_S
            self._limiter.note_robots(host, answer.what)
            self._failed[host] = _Failed(answer, until, pending.taken.payload.public_only)
            self._cache.released(host)  # another node may be able to ask it
        else:
            self._cache.answered(host, answer)
            self._known(host)
        self._queues.wake(host)

    def lost(self, pending: Pending, cause: str) -> None:
        """Handle a robots.txt that has crashed its worker too often: the jobs of its host fail."""
        what = f"robots.txt cannot be read: {cause}"
        self.answered(pending, RobotsAnswer(RobotsKind.NEVER, cause=what, what=what))

    def dropped(self, pending: Pending) -> None:
        """Note that a request for a robots.txt was removed from the queues; any node may read it now."""
        self._reading.discard(pending.taken.host)
        self._cache.released(pending.taken.host)


def robots_url(url: str) -> str:
    """The URL of the robots.txt that holds for an absolute address.

    >>> robots_url("https://a.example:81/b?c#d")
    'https://a.example:81/robots.txt'
    """
    scheme, _, rest = url.partition("://")
    ends = [end for end in map(rest.find, "/?#") if end >= 0]
    return f"{scheme}://{rest[: min(ends, default=len(rest))]}{ROBOTS_PATH}"
