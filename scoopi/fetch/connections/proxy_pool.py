"""ProxyPool: chooses the proxy of each request; a proxy that fails is not used for a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

FIRST_REST_S = 30.0
LONGEST_REST_S = 900.0


class ProxyPool:
    """Chooses the proxies of a site in turn; one that fails rests, that is, is not used for a while.

    Not thread-safe.

    Args:
        clock: returns monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._turns: dict[tuple[str, ...], int] = {}
        self._rests: dict[str, float] = {}
        self._rested_until: dict[str, float] = {}

    def choose(self, proxies: Sequence[str]) -> str:
        """The next proxy that is not resting; if all are, the one whose rest ends first."""
        key = tuple(proxies)
        turn = self._turns.get(key, 0)
        ordered = key[turn:] + key[:turn]
        now = self._clock()
        chosen = min(ordered, key=lambda proxy: max(now, self._rested_until.get(proxy, now)))
        self._turns[key] = (key.index(chosen) + 1) % len(key)
        return chosen

    def has_healthy(self, proxies: Sequence[str]) -> bool:
        """Whether one of the proxies is not resting."""
        now = self._clock()
        return any(self._rested_until.get(proxy, now) <= now for proxy in proxies)

    def failed(self, proxy: str) -> float:
        """Let a proxy that failed rest: first 30 s, then twice as long each time, at most 15 min.

        Returns:
            The length of its rest in seconds.
        """
        rest_s = min(LONGEST_REST_S, 2 * self._rests.get(proxy, FIRST_REST_S / 2))
        self._rests[proxy] = rest_s
        self._rested_until[proxy] = self._clock() + rest_s
        return rest_s

    def worked(self, proxy: str) -> None:
        """Note that a proxy has forwarded a request, which ends its rest and forgets its failures."""
        if self._rests:
            self._rests.pop(proxy, None)
            self._rested_until.pop(proxy, None)
