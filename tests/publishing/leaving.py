"""Nodes of one run with a store in common, each with its segments, that publish and leave."""

from __future__ import annotations

from pathlib import Path

from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.model.job import JobPayload, seed_id
from scoopi.model.locator import Locator
from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.publisher import FrameSource, Publisher, PublishTarget
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.departure import Departure
from scoopi.store.nodes.lease import NodeClocks
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.store.ports import Store
from tests.appenders.conftest import result_of
from tests.clock import Clock

HOST = "file"


class LeavingNode:
    """A node of the run, whose id and incarnation have one letter.

    Attributes:
        folder: the folder of its files.
        heard: `stopped` once its heartbeat has been stopped.
    """

    def __init__(self, store: Store, folder: Path, name: str, clock: Clock) -> None:
        self.incarnation = name * 16
        self.folder, self._segments = folder, folder / ".scoopi" / name
        self.jobs = JobStore(store, self.incarnation)
        self.membership = Membership(store, self.incarnation, name, 1000, 15_000, NodeClocks(clock, clock))
        self.membership.beat(NodeLoad(0, False))
        self.heard: list[str] = []
        self.departure = Departure(
            self.membership, lambda: NodeLoad(0, True), lambda: self.heard.append("stopped"), poll_s=0.001
        )
        self._store, self._clock = store, clock
        self._writer: SegmentWriter | None = None

    def work(self, *texts: str, failure: str = "") -> None:
        """Do one job for each text, whose row it becomes.

        Args:
            failure: why all of them fail; empty if none does.
        """
        new = []
        for text in texts:
            job = seed_id("group", "page", f"{self.incarnation}/{text}")
            new.append(NewJob(job, HOST, JobPayload(Locator("page", "group", text), job)))
        self.jobs.put(new)
        results = [result_of(job, failure=failure) for job in self.jobs.take(HOST, len(new))]
        if self._writer is None:
            self._writer = SegmentWriter(self._segments / "segments", SegmentHeader("run", self.incarnation))
            self._writer.open()
        self._writer.append([result.body for result in results])
        self.jobs.finished.end([Ending(each.job, each.fence, each.state) for each in results])

    @property
    def segment(self) -> Path:
        """The file with its rows."""
        return self._segments / "segments" / f"{self.incarnation}.seg"

    def publisher(self) -> Publisher:
        """What publishes its own rows into `NAME.txt`."""
        self._segments.mkdir(parents=True, exist_ok=True)
        name = f"{self.incarnation[0]}.txt"
        frames = FrameSource(
            lambda: (self._segments / "segments").glob("*.seg"),
            lambda incarnation: incarnation == self.incarnation,
        )
        target = PublishTarget(self.folder, self._segments)
        return Publisher(target, self.jobs, (OutputSpec("data.txt", name),), frames)

    def rows(self) -> list[str] | None:
        """The rows of its file, sorted; None if there is none."""
        file = self.folder / f"{self.incarnation[0]}.txt"
        return sorted(file.read_text().split()) if file.exists() else None

    def barricade(self, name: str) -> Barricade:
        """A barricade of the run, at which nothing waits for long."""
        return Barricade(self._store, name, self.incarnation, 1000, self._clock, self._clock.pass_s)
