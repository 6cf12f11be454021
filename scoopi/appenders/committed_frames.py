"""committed_state: looks up whether this process has a durable frame of a job's attempt."""

from __future__ import annotations

from pathlib import Path

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.model.job import JobState


def committed_state(segment: Path, job: str, fence: int) -> JobState | None:
    """The state in the frame of (job, fence); None when the segment has no such frame.

    Reads the whole segment: asked only for jobs that the store and this node disagree on.
    """
    for frame in SegmentReader(segment).frames():
        if (frame.job, frame.fence) == (job, fence):
            return frame.state
    return None
