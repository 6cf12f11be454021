"""TakenRecords: what this node wrote when it took its jobs, so that their next change needs no reading."""

from __future__ import annotations

from collections.abc import Iterable


class TakenRecords:
    """A hint, not the truth: the next change is conditional on it, and whoever has none reads the record.

    Any thread may call. It grows with the jobs that the node holds, which are bounded.
    """

    def __init__(self) -> None:
        self._records: dict[str, tuple[int, bytes]] = {}

    def remember(self, job: str, fence: int, record: bytes) -> None:
        """The take of that fence wrote this record."""
        self._records[job] = (fence, record)

    def of(self, job: str, fence: int) -> bytes | None:
        """What the take of that fence wrote; None: it is not known here."""
        known, record = self._records.get(job, (0, b""))
        return record if known == fence else None

    def forget(self, takes: Iterable[tuple[str, int]]) -> None:
        """The jobs of these takes have ended, or were given back."""
        for job, fence in takes:
            if self._records.get(job, (0, b""))[0] == fence:
                self._records.pop(job, None)
