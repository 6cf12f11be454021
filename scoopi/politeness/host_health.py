"""HostHealth: how errors and latency slow down the requests to a host, and when it gets none for a while."""

from __future__ import annotations

import math

import msgspec

from scoopi.configs.groups import PolitenessSettings
from scoopi.errors import LoadFault
from scoopi.model.limits.retry_policy import UNKNOWN_NAME

ERRORS_FOR_REST = 5
"""Errors in a row after which a host rests: then one request at a time checks whether it answers again."""
MOST_PAUSE_S = 60.0
LEAST_REST_S = 2.0
"""A shorter pause does not count as a rest: the jobs of the host stay in the node."""
LEAST_EXTRA_S = 0.01
LATENCY_WEIGHT = 0.2
SLOW_FACTOR = 2.0
"""A host whose pages take this many times longer than usual gets fewer requests."""
MOST_SLOWING = 10.0
NAME_TIMEOUT_S = 10.0
"""How long jobs wait for a host whose name is unknown: a resolver recovers, a misspelt name does not."""
_WORDS = {
    UNKNOWN_NAME: "its name is unknown",
    "connect": "no connection",
    "timeout": "no answer in time",
    "reset": "connection lost",
    "truncated": "pages cut off",
}
"""Reason of an error -> the words for it; a status is shown as it is."""


class HostHealth(msgspec.Struct):
    """How errors and latency slow down the requests to one host, and when it gets none for a while.

    Latency is measured on pages only, as a fast error does not show that the host is fast.

    Attributes:
        errors: number of errors since the last page.
        failing_since: when the first of them occurred, in monotonic seconds; infinity without one, and after
            an error with a Retry-After.
        paused_until: monotonic seconds before which nothing is sent.
        extra_s: seconds added to the delay between two requests.
        reason: `LoadFault.reason` of the last error that had one.
        is_asleep: whether the host itself has requested the pause (Retry-After).
        sleeps, rests: how often it has requested a pause, and how often it got one because of errors.
        usual_s: the least value that `recent_s` has had; infinity before the first page.
        recent_s: moving average of the seconds from a request to the last byte of its page; 0 without one.
    """

    errors: int = 0
    failing_since: float = math.inf
    paused_until: float = -math.inf
    extra_s: float = 0.0
    reason: str = ""
    is_asleep: bool = False
    sleeps: int = 0
    rests: int = 0
    usual_s: float = math.inf
    recent_s: float = 0.0

    def failed(self, now: float, fault: LoadFault, rules: PolitenessSettings) -> None:
        """Count a request that failed by an error that may be the host's."""
        self.errors += 1
        self.reason = fault.reason or self.reason
        self.extra_s = min(MOST_PAUSE_S, max(rules.error_delay_ms / 1000, 2 * self.extra_s))
        self.paused_until = max(self.paused_until, now + self.extra_s)
        self.is_asleep = bool(fault.retry_after_s)
        if fault.retry_after_s:
            self.sleeps += 1
            self.failing_since = math.inf
            self.paused_until = max(self.paused_until, now + min(fault.retry_after_s, rules.longest_sleep_s))
        else:
            self.failing_since = min(self.failing_since, now)
            self.rests += self.errors >= ERRORS_FOR_REST

    def answered(self, took_s: float | None = None) -> None:
        """Count a request that got a page, a redirect, or an error that concerns this page only.

        Args:
            took_s: for a page, the time from the request to its last byte; None if the latency is not known.
        """
        self.errors, self.failing_since, self.is_asleep = 0, math.inf, False
        self.extra_s = self.extra_s / 2 if self.extra_s > LEAST_EXTRA_S else 0.0
        if took_s is not None:
            first = self.recent_s or took_s
            self.recent_s = first + LATENCY_WEIGHT * (took_s - first)
            self.usual_s = min(self.usual_s, self.recent_s)

    def delay_s(self, least_s: float) -> float:
        """The current delay between two requests, in seconds; at least `least_s`, the one without trouble."""
        if not least_s:
            return self.extra_s
        slowing = self.recent_s / (SLOW_FACTOR * self.usual_s) if self.recent_s else 1.0
        return least_s * min(MOST_SLOWING, max(1.0, slowing)) + self.extra_s

    def rest_s(self, now: float) -> float:
        """The remaining rest in seconds; 0 without one, or if less than 2 s remain."""
        rests = (self.errors >= ERRORS_FOR_REST or self.is_asleep) and self.paused_until - now >= LEAST_REST_S
        return self.paused_until - now if rests else 0.0

    def trouble(self, rules: PolitenessSettings) -> str:
        """Why the host gets fewer requests than usual, and for how long; empty if it does not."""
        if self.is_asleep:  # without a sleep in this process, the pause is one that an earlier process kept
            return "it asked for a pause" if self.sleeps else "its pause is from before the run was continued"
        if not self.errors:
            return ""
        words = "an error" if self.errors == 1 else f"{self.errors:,} errors in a row"
        words = f"{words}: {self._cause}" if self.reason else words
        return f"{words}; given up after {self._most_s(rules):g} s of errors"

    def is_given_up(self, now: float, rules: PolitenessSettings) -> bool:
        """Whether the host has given nothing but errors for longer than jobs wait for it."""
        return self.errors > 0 and now - self.failing_since >= self._most_s(rules)

    def why_given_up(self, now: float, rules: PolitenessSettings) -> str:
        """Why the jobs of the host fail, in words; empty while they wait for it."""
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
    """Whether a request failed because of its host, not only because of its page.

    Args:
        fault: how the load failed; None if it did not, or if that is not known.
        heard: whether the host answered; None if that is not known.
    """
    if fault is None:
        return heard is False
    return fault.is_transient or not fault.was_sent
