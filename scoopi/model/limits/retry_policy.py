"""RetryPolicy: how often, and after which waits, a page that failed to load is tried again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from scoopi.errors import LoadFault

UNKNOWN_NAME = "dns"
"""Reason of a failure: the name of the host, or of its proxy, is unknown."""
MOST_FOR_A_NAME = 3
"""Attempts at a host whose name is unknown: a resolver recovers, but a misspelt name stays unknown."""


KEYS: Mapping[str, str] = MappingProxyType(
    {
        "attempts": "attempts",
        "delay": "delay_ms",
        "factor": "factor",
        "maxDelay": "most_delay_ms",
        "jitter": "jitter_percent",
        "perHost": "per_host",
    }
)
"""Key of `retry` in definitions, and the end of a setting's name -> field."""


class RetryPolicy(msgspec.Struct, frozen=True):
    """How often, and after which waits, a page that failed to load is tried again.

    The waits grow exponentially, with jitter.

    Attributes:
        attempts: at one page, the first one included; 1: no retries.
        delay_ms: the wait before the second attempt.
        factor: by which each further wait is longer.
        most_delay_ms: the longest wait, before jitter.
        jitter_percent: up to this part of a wait is added at random, so that pages which failed together do
            not come back together.
        per_host: retries at one host in the whole run; further failures are final.
    """

    attempts: int = 5
    delay_ms: int = 1000
    factor: int = 2
    most_delay_ms: int = 60_000
    jitter_percent: int = 50
    per_host: int = 10_000

    @classmethod
    def of(cls, numbers: Mapping[str, int]) -> RetryPolicy:
        """The policy of the numbers of a site, by the keys of definitions; the defaults for what is missing.

        >>> RetryPolicy.of({"attempts": 2, "maxDelay": 500}).attempts
        2
        """
        return cls(**{field: numbers[key] for key, field in KEYS.items() if key in numbers})

    def numbers(self) -> dict[str, int]:
        """The policy by the keys of definitions."""
        return {key: getattr(self, field) for key, field in KEYS.items()}

    def allows(self, fault: LoadFault, tried: int) -> bool:
        """Whether a page that failed with that fault may be tried again.

        Args:
            tried: attempts before the one that failed.
        """
        return fault.is_transient and tried + 1 < self.attempts_after(fault)

    def attempts_after(self, fault: LoadFault) -> int:
        """How often a page that failed with that fault is tried in all, if another attempt may load it."""
        return min(self.attempts, MOST_FOR_A_NAME) if fault.reason == UNKNOWN_NAME else self.attempts

    def wait_ms(self, fault: LoadFault, tried: int, random: Callable[[], float]) -> int:
        """The wait before the next attempt, in milliseconds; at least what the server asks for.

        >>> policy, fault = RetryPolicy(), LoadFault("reset", True)
        >>> [policy.wait_ms(fault, tried, lambda: 0.0) for tried in range(8)]
        [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]

        Args:
            tried: as in `allows`.
            random: gives numbers from 0 to 1.
        """
        delay_ms = min(self.delay_ms * self.factor ** min(tried, 32), self.most_delay_ms)
        asked_ms = 1000 * (fault.retry_after_s or 0.0)
        return int(max(delay_ms, asked_ms) + delay_ms * random() * self.jitter_percent / 100)
