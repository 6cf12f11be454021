"""FoundCounts: what this process has counted of the values that definitions find."""

from __future__ import annotations

from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.place import Place
from scoopi.model.report.finds import PREFIX, count_name


class FoundCounts:
    """Reads the node's counters of what definitions have found, which cover what this process has read.

    The base of those that make sentences of them, for grids and for records.

    Args:
        whose: follows the number of pages, and says which they are; empty for all of the run.
    """

    def __init__(self, counts: NodeCounts, whose: str = "") -> None:
        self._counts = counts
        self._whose = whose

    def _count(self, kind: str, data_def: str, axis: tuple[str, str] = ("", "")) -> int:
        return int(self._counts.value(PREFIX + count_name(kind, data_def, axis)))

    def _where(self, pages: int) -> str:
        return f"{pages:,} page{'' if pages == 1 else 's'}{self._whose}"


def placed(place: Place) -> str:
    """A place behind a sentence; nothing where it is not known."""
    return f" ({place})" if str(place) else ""
