"""HostHealth: how much slower a host is asked for its errors and latency, and when it is left alone."""

from __future__ import annotations

import math

import msgspec

from scoopi.configs.groups import PolitenessSettings
from scoopi.errors import LoadFault
from scoopi.model.limits.retry_policy import UNKNOWN_NAME

ROW_FOR_REST = 5
"""Errors in a row after which a host rests: one request at a time looks whether it is back."""
MOST_PAUSE_S = 60.0
LEAST_REST_S = 2.0
"""A shorter pause does not count as a rest: the jobs of the host stay in the node."""
LEAST_EXTRA_S = 0.01
LATENCY_WEIGHT = 0.2
SLOW_FACTOR = 2.0
"""A host whose pages take this many times longer than they usually do is asked less often."""
MOST_SLOWING = 10.0
NAME_TIMEOUT_S = 10.0
"""For how long a host whose name is unknown is waited for: a resolver recovers, a misspelt name does not."""
_WORDS = {
    UNKNOWN_NAME: "its name is unknown",
    "connect": "no connection",
    "timeout": "no answer in time",
    "reset": "connection lost",
    "truncated": "pages cut off",
}
"""Reason of an error -> the words for it; a status is shown as it is."""


class HostHealth(msgspec.Struct):
    """How much slower a host is asked for its errors and latency, and when it is left alone.

    A fast error says nothing about the host's health.

    Attributes:
        row: errors since the last page.
        since: when the first of them came.
        until: before this nothing is sent.
        extra_s: added to the delay between two requests.
        reason: of the last error.
        is_asleep: the host itself has asked for the pause (Retry-After).
        sleeps, rests: how often it has asked for one, and how often it got one for its errors.
    """

    row: int = 0
    since: float = math.inf
    until: float = -math.inf
    extra_s: float = 0.0
    reason: str = ""
    is_asleep: bool = False
    sleeps: int = 0
    rests: int = 0
    usual_s: float = math.inf
    recent_s: float = 0.0

    def failed(self, now: float, fault: LoadFault, rules: PolitenessSettings) -> None:
        """Count a request that brought an error which may be the host's own."""
        self.row += 1
        self.reason = fault.reason or self.reason
        self.extra_s = min(MOST_PAUSE_S, max(rules.error_delay_ms / 1000, 2 * self.extra_s))
        self.until = max(self.until, now + self.extra_s)
        self.is_asleep = bool(fault.retry_after_s)
        if fault.retry_after_s:
            self.sleeps += 1
            self.since = math.inf
            self.until = max(self.until, now + min(fault.retry_after_s, rules.longest_sleep_s))
        else:
            self.since = min(self.since, now)
            self.rests += self.row >= ROW_FOR_REST

    def answered(self, took_s: float | None = None) -> None:
        """A request brought a page or a redirect, or an error that is the page's own.

        Args:
            took_s: for a page, the time from the request to its last byte; None if it says nothing.
        """
        self.row, self.since, self.is_asleep = 0, math.inf, False
        self.extra_s = self.extra_s / 2 if self.extra_s > LEAST_EXTRA_S else 0.0
        if took_s is not None:
            first = self.recent_s or took_s
            self.recent_s = first + LATENCY_WEIGHT * (took_s - first)
            self.usual_s = min(self.usual_s, self.recent_s)

    def delay_s(self, least_s: float) -> float:
        """The delay between two requests now, never less than the one that was promised."""
        slowing = self.recent_s / (SLOW_FACTOR * self.usual_s) if self.recent_s else 1.0
        return least_s * min(MOST_SLOWING, max(1.0, slowing)) + self.extra_s

    def rest_s(self, now: float) -> float:
        """For how long the host is left alone from now on; 0 if it is not, or only for a short pause."""
        rests = (self.row >= ROW_FOR_REST or self.is_asleep) and self.until - now >= LEAST_REST_S
        return self.until - now if rests else 0.0

    def trouble(self) -> str:
        """What keeps the host from being asked as usual, in a few words; empty if nothing does."""
        if self.is_asleep:
            return "it asked for a pause"
        if not self.row:
            return ""
        errors = "an error" if self.row == 1 else f"{self.row:,} errors in a row"
        return f"{errors}: {self._cause}" if self.reason else errors

    def is_given_up(self, now: float, rules: PolitenessSettings) -> bool:
        """Whether the host has brought nothing but errors for longer than it is waited for."""
        return self.row > 0 and now - self.since >= self._most_s(rules)

    def why_given_up(self, now: float, rules: PolitenessSettings) -> str:
        """Why its jobs fail, in words; empty while it is waited for."""
        if not self.is_given_up(now, rules):
            return ""
        last = f" ({self._cause})" if self.reason else ""
        return f"the host has brought nothing but errors for {self._most_s(rules):g} s{last}"

    @property
    def _cause(self) -> str:
        return _WORDS.get(self.reason, self.reason)

    def _most_s(self, rules: PolitenessSettings) -> float:
        most_s = float(rules.host_timeout_s)
        return min(most_s, NAME_TIMEOUT_S) if self.reason == UNKNOWN_NAME else most_s


def is_of_host(fault: LoadFault | None, heard: bool | None) -> bool:
    """Whether a failed request says something about its host, not only about its page."""
    if fault is None:
        return heard is False
    return fault.is_transient or not fault.was_sent
