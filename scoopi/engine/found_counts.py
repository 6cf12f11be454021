"""FoundCounts: what this process has counted of the values that definitions find."""

from __future__ import annotations

from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.place import Place
from scoopi.model.report.counter_names import PREFIX, count_name


class FoundCounts:
    """Base class of the reports on what definitions found; the counters cover what this process has read.

    Args:
        whose: which pages these are, as a part of a sentence after their number; empty for all of the run.
    """

    def __init__(self, counts: NodeCounts, whose: str = "") -> None:
        self._counts = counts
        self._whose = whose

    def _count(self, kind: str, data_def: str, axis: tuple[str, str] = ("", "")) -> int:
        return int(self._counts.value(PREFIX + count_name(kind, data_def, axis)))

    def _where(self, pages: int) -> str:
        return f"{pages:,} page{'' if pages == 1 else 's'}{self._whose}"


def placed(place: Place) -> str:
    """Format a place for the end of a sentence, as ` (FILE:LINE)`; empty if it is not known."""
    return f" ({place})" if str(place) else ""
