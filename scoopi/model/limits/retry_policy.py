"""RetryPolicy: how often, and after which waits, a page that failed to load is tried again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from scoopi.errors import LoadFault

UNKNOWN_NAME = "dns"
"""The reason of a failure because the name of the host, or of its proxy, is unknown."""
MOST_FOR_A_NAME = 3
"""The most attempts at a host whose name is unknown: a resolver may recover, but a misspelt name stays so."""


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
"""Key of `retry` in definitions, which also ends the name of a setting -> field."""


class RetryPolicy(msgspec.Struct, frozen=True):
    """How often, and after which waits, a page that failed to load is tried again.

    The waits grow exponentially, with jitter.

    Attributes:
        attempts: the most attempts at one page, the first one included; 1 for no retries.
        delay_ms: the wait before the second attempt.
        factor: each further wait is longer by this factor.
        most_delay_ms: the longest wait, before jitter.
        jitter_percent: up to this share of a wait is added at random, so that pages that failed together are
            not retried together.
        per_host: the most retries at one host in the whole run; further failures are final.
    """

    attempts: int = 5
    delay_ms: int = 1000
    factor: int = 2
    most_delay_ms: int = 60_000
    jitter_percent: int = 50
    per_host: int = 10_000

    @classmethod
    def of(cls, numbers: Mapping[str, int]) -> RetryPolicy:
        """Return the policy with these numbers, by their keys in definitions, and defaults for missing ones.

        >>> RetryPolicy.of({"attempts": 2, "maxDelay": 500}).attempts
        2
        """
        return cls(**{field: numbers[key] for key, field in KEYS.items() if key in numbers})

    def numbers(self) -> dict[str, int]:
        """Return the numbers of the policy, by their keys in definitions."""
        return {key: getattr(self, field) for key, field in KEYS.items()}

    def allows(self, fault: LoadFault, tried: int) -> bool:
        """Whether a page that failed with `fault` may be tried again.

        Args:
            tried: the number of attempts before the one that failed.
        """
        return fault.is_transient and tried + 1 < self.attempts_after(fault)

    def attempts_after(self, fault: LoadFault) -> int:
        """Return the most attempts in all at a page that failed with `fault`, if the fault is transient."""
        return min(self.attempts, MOST_FOR_A_NAME) if fault.reason == UNKNOWN_NAME else self.attempts

    def wait_ms(self, fault: LoadFault, tried: int, random: Callable[[], float]) -> int:
        """Return the wait before the next attempt, in milliseconds; at least the server's Retry-After.

        >>> policy, fault = RetryPolicy(), LoadFault("reset", True)
        >>> [policy.wait_ms(fault, tried, lambda: 0.0) for tried in range(8)]
        [1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]

        Args:
            tried: as in `allows`.
            random: returns a random number from 0 to 1.
        """
        delay_ms = min(self.delay_ms * self.factor ** min(tried, 32), self.most_delay_ms)
        asked_ms = 1000 * (fault.retry_after_s or 0.0)
        return int(max(delay_ms, asked_ms) + delay_ms * random() * self.jitter_percent / 100)
