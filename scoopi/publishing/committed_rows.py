"""CommittedRows: reads the rows that a run has committed so far, while the run is in progress."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from scoopi.appenders.segment_reader import SegmentReader, segment_order
from scoopi.model.handover import Part
from scoopi.model.job import Frame
from scoopi.store.jobs.job_store import JobStore

AT_ONCE = 500
"""Number of frames whose jobs are looked up in the store at once."""


class CommittedRows:
    """Reads each segment up to the first frame whose job has not ended yet; the next poll continues there.

    Args:
        segments: returns the paths of the segments of a node.
        parts: the outputs to read, by the names of their parts in frames.
    """

    def __init__(self, segments: Callable[[], Iterable[Path]], jobs: JobStore, parts: Sequence[str]) -> None:
        self._segments = segments
        self._jobs = jobs
        self._parts = frozenset(parts)
        self._read: dict[Path, int] = {}

    def poll(self) -> Iterator[Part]:
        """Read the parts that have been committed since the last poll.

        Raises:
            StoreError: the store cannot be read; the next poll continues where this one ended.
        """
        for path in sorted(self._segments(), key=segment_order):
            reader = SegmentReader(path)
            frames = self._frames(reader, self._read.get(path, 0))
            while batch := list(islice(frames, AT_ONCE)):
                if not (yield from self._ended(path, reader.header.node, batch)):
                    break

    def _frames(self, reader: SegmentReader, start: int) -> Iterator[tuple[Frame, int]]:
        for frame in reader.frames(start):
            yield frame, reader.position

    def _ended(
        self, path: Path, node: str, batch: Sequence[tuple[Frame, int]]
    ) -> Generator[Part, None, bool]:
        """Yields the parts of frames that count; returns whether all of these frames are settled."""
        ends = self._jobs.finished.ended([frame.job for frame, _ in batch])
        for frame, position in batch:
            end = ends.get(frame.job)
            if end is None:
                return False
            if (end.incarnation, end.fence) == (node, frame.fence):
                yield from (part for part in frame.parts if part.output in self._parts)
            self._read[path] = position
        return True
