"""Liveness: how often workers send heartbeats, and how many they may miss."""

from __future__ import annotations

import math
from datetime import timedelta

import msgspec


class Liveness(msgspec.Struct, frozen=True, kw_only=True):
    """How often workers send heartbeats, and how many they may miss.

    Attributes:
        beat: the interval of heartbeats.
        gap: the number of missed heartbeats after which a worker counts as lost.
    """

    beat: timedelta = timedelta(seconds=5)
    gap: int = 3

    @property
    def lease(self) -> timedelta:
        """For how long attempts may run without a heartbeat of their worker."""
        return self.beat * self.gap

    def most_missed(self, own: Liveness | None) -> int:
        """Return how many heartbeats, at the interval of these settings, a worker may miss in its lease.

        Args:
            own: the settings that the worker's lease is computed with, as a deployment may have changed them
                since its last heartbeat; None if it has no lease.
        """
        if own is None:
            return self.gap
        return max(self.gap, own.gap, math.ceil(own.lease / self.beat))
