"""RetryTally: counts the attempts for pages that were requested more than once, from their frames."""

from __future__ import annotations

import heapq
from collections import Counter

from scoopi.model.job import Frame
from scoopi.model.report.run_report import Retried, Retries
from scoopi.model.text.shown import shown

MOST_NAMED = 100
"""Number of pages that are named."""


class RetryTally:
    """Counts the attempts for pages that were requested more than once, from their frames.

    Used by one thread; its memory is bounded, however many pages were retried.
    """

    def __init__(self) -> None:
        self._jobs = 0
        self._reasons: Counter[str] = Counter()
        self._most: list[tuple[int, str, str]] = []

    def add(self, frame: Frame) -> None:
        """Count the attempts for a job's page before the one that made this frame."""
        if not frame.tried:
            return
        self._jobs += 1
        self._reasons.update(frame.tried)
        if frame.payload is None:
            return
        locator = frame.payload.locator
        named = (len(frame.tried) + 1, f"{locator.name}:{locator.group}", shown(locator.url))
        heapq.heappush(self._most, named)
        if len(self._most) > MOST_NAMED:
            heapq.heappop(self._most)

    def counted(self) -> Retries:
        """The counts; the most frequent reasons, and the pages with the most attempts, come first."""
        most = sorted(self._most, key=lambda one: (-one[0], one[1:]))
        return Retries(
            jobs=self._jobs,
            retries=self._reasons.total(),
            reasons=dict(self._reasons.most_common()),
            most=tuple(Retried(job, url, attempts) for attempts, job, url in most),
        )
