"""SharedHosts: which hosts this node of a cluster takes jobs of, and which it shares with others."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection

from scoopi.politeness.host_rate_limiter import FILE_HOST
from scoopi.politeness.host_shares import HostShares
from scoopi.store.jobs.job_store import JobStore

ROUND_S = 0.25
"""Seconds between two polls of the hosts that this node has or waits for."""
SWEEP_S = 1.0
"""Seconds between two polls of all hosts."""


class SharedHosts:
    """Decides which hosts this node of a cluster takes jobs of, and which it shares with others.

    Runs the rounds of `HostShares`. Belongs to the job runner's thread.

    Local files are a host without limits, of which every node takes jobs.

    Args:
        needed_hosts: returns the hosts that jobs of this node wait for.
        wanted: returns how many more jobs of a host this node can take.
    """

    def __init__(
        self,
        shares: HostShares,
        jobs: JobStore,
        needed_hosts: Callable[[], Collection[str]],
        wanted: Callable[[str], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._shares = shares
        self._jobs = jobs
        self._needed_hosts = needed_hosts
        self._wanted = wanted
        self._clock = clock
        self._round_at = -math.inf
        self._sweep_at = -math.inf
        self._is_live = False

    def is_due(self) -> bool:
        """Whether it is time for a round."""
        return self._clock() >= self._round_at

    def is_sweep_due(self) -> bool:
        """Whether the next round polls all hosts."""
        return self._clock() >= self._sweep_at

    def round(self, awake: Collection[str]) -> set[str]:
        """Run a round: get, divide and give up shares.

        Args:
            awake: hosts that may have jobs for this node; empty if it takes no more.
        Returns:
            Those of `awake` that have no jobs.
        Raises:
            StoreError: the next round tries again.
        """
        now = self._clock()
        self._round_at = now + ROUND_S
        everything = now >= self._sweep_at
        needed = self._needed_hosts()
        known = self._shares.hosts()
        new = [host for host in awake if host not in known]
        self._is_live = self._shares.poll([*needed, *new], everything)
        if not self._is_live:
            return set()
        if everything:
            self._sweep_at = now + SWEEP_S
        return self._settle(needed, [host for host in awake if host != FILE_HOST])

    def hosts(self) -> Collection[str]:
        """All hosts of the run that had a record at the last poll of them."""
        return self._shares.hosts()

    def may_take(self, host: str) -> bool:
        """Whether jobs of the host may be taken here."""
        return self._is_live if host == FILE_HOST else self._shares.may_take(host)

    def part(self, host: str, wanted: int) -> int:
        """How many of `wanted` jobs of the host this node takes: its part at most, as others want some."""
        parties = self._shares.parties(host)
        return wanted if parties == 1 else min(wanted, max(1, self._jobs.ready(host) // parties))

    def _settle(self, needed: Collection[str], awake: Collection[str]) -> set[str]:
        held = [host for host in awake if self._shares.share_of(host) is not None]
        wanted = [host for host in self._shares.candidates(awake) if self._wanted(host) > 0]
        empty = {host for host in wanted if self._jobs.ready(host) == 0}
        self._shares.settle(needed, {*held, *wanted} - empty)
        return empty
