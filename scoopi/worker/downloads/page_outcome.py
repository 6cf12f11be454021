"""PageOutcome: collects what the tasks of a job make; PausedPage: a page whose tasks wait for files."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scoopi.model.data import Data
from scoopi.model.downloads import FileRef, FileRequest
from scoopi.model.failure import Failure
from scoopi.model.handover import Part, Payload, ToAppender, ToJobs
from scoopi.model.job import Frame, JobState
from scoopi.model.locator import Link
from scoopi.model.records import Records
from scoopi.worker.messages import Child, Result, WorkItem
from scoopi.worker.worker_parts import TaskChain

FRAME_ENCODER = msgspec.msgpack.Encoder()


class PageOutcome:
    """Collects what the tasks of one job make.

    Attributes:
        links: the links of all tasks.
        reads: the rows and records of each task as they were read, before any step changed them.
        items: those of `reads` that do not become links.
        has_all_items: whether `items` is complete, as no task that reads any has failed.
        times: (step, seconds), in the order in which the steps ran.
        failures, warnings: of all tasks.
        skipped: why the page was skipped; None if it was not.
    """

    def __init__(self, item: WorkItem) -> None:
        self._item = item
        self._parts: dict[str, Part] = {}
        self.links: list[Link] = []
        self.reads: list[Records | Data] = []
        self.items: list[Records | Data] = []
        self.has_all_items = True
        self.times: list[tuple[str, float]] = []
        self.failures: list[Failure] = list(item.failures)
        self.warnings: list[Failure] = []
        self.skipped: Failure | None = None
        self._files: list[FileRef] = []

    def take(self, handover: ToJobs | ToAppender, files: Iterable[FileRef] = ()) -> None:
        """Add the handover that ended a task.

        Args:
            files: the files that its rows name.
        """
        self._files += files
        self.links += handover.links
        if isinstance(handover, ToJobs):
            return
        for part in handover.parts:
            former = self._parts.get(part.output)
            if former is not None:
                part = Part(part.output, former.rows + part.rows, former.body + part.body)
            self._parts[part.output] = part

    def result(self, pages: int, children: tuple[Child, ...] = ()) -> Result:
        """The result of the job, with its encoded frame.

        Args:
            pages: 1 if the page was loaded, else 0.
            children: the jobs of its links.
        """
        item = self._item
        state = JobState.FAILED if self.failures else JobState.DONE
        if self.skipped is not None:
            state = JobState.SKIPPED
        frame = Frame(
            job=item.job,
            fence=item.fence,
            state=state,
            pages=pages,
            parts=tuple(self._parts.values()),
            failures=tuple(self.failures),
            warnings=tuple(self.warnings),
            payload=item.payload if self.failures or item.tried else None,
            tried=item.tried,
            skipped=self.skipped,
            files=tuple(self._files),
        )
        return Result(
            job=item.job,
            fence=item.fence,
            state=state,
            pages=pages,
            body=FRAME_ENCODER.encode(frame),
            children=children,
            failures=frame.failures,
            rows=sum(part.rows for part in frame.parts),
        )


class PausedTask(msgspec.Struct, frozen=True):
    """A task that waits for files.

    Attributes:
        at: index in the chain of the step that needs the files.
        payload: the input of that step.
        requests: the files to download.
        warnings: the warnings of the steps before.
    """

    chain: TaskChain
    at: int
    payload: Payload
    requests: tuple[FileRequest, ...] = ()
    warnings: tuple[Failure, ...] = ()


class PausedPage(msgspec.Struct, frozen=True):
    """A page of which some tasks wait for files.

    Attributes:
        outcome: what the other tasks have made.
        is_public: whether its host has a public address.
    """

    item: WorkItem
    outcome: PageOutcome
    tasks: tuple[PausedTask, ...]
    is_public: bool
