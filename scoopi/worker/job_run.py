"""JobRun: runs the tasks of a job on its loaded page, one step after another, to a Result."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from msgspec.structs import replace

from scoopi.errors import DisallowedError, FetchError, StepError
from scoopi.model.data import Data, LinkData
from scoopi.model.definitions import TaskDef
from scoopi.model.failure import Failure, page_failure
from scoopi.model.handover import Part, Payload, ToAppender, ToGrant, ToJobs, ToTask
from scoopi.model.job import Frame, JobPayload, JobState
from scoopi.model.locator import Document, Link
from scoopi.model.records import Records
from scoopi.worker.crash_marker import CrashMarker
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.messages import Child, Result, WorkItem
from scoopi.worker.worker_parts import ChainStep, GroupPlan, TaskChain

log = logging.getLogger(__name__)

_NO_PLUGINS = (str(Path(__file__).parents[1]), str(Path(traceback.__file__).parent), "<")
"""How the paths of files begin that do not belong to a plugin."""

_ENDINGS = (ToJobs, ToAppender)
FRAME_ENCODER = msgspec.msgpack.Encoder()


class TaskAbandonedError(BaseException):
    """Raised in a thread whose task took too long; its result is discarded."""


class JobRun:
    """Runs the tasks of a job on its loaded page, one step after another, to a Result.

    Belongs to the one thread that runs steps; only its times may be added to by others.
    """

    def __init__(
        self,
        group_plan: Callable[[str], GroupPlan],
        children: ChildJobs,
        marker: CrashMarker | None,
        found: FoundValues,
        fault_of: Callable[[object], str | None],
    ) -> None:
        self._group_plan = group_plan
        self._children = children
        self._marker = marker
        self._found = found
        self._fault_of = fault_of
        self._logged: set[tuple[str, str]] = set()
        self._times: dict[str, float] = {}
        self._times_lock = threading.Lock()

    def run(self, item: WorkItem, page: object) -> Result:
        """Run every task of the job's group on its page; one that fails loses its own rows and links only."""
        outcome = _Outcome(item)
        plan = self._group_plan(item.payload.locator.group)
        for chain in plan.chains:
            if not _is_wanted(chain.task.name, item.payload):
                outcome.has_all_items &= chain.task.is_of_links
                continue
            started = time.perf_counter()
            self._run_task(item, chain, page, outcome)
            self._found.note_time(chain.task.group, chain.task.name, time.perf_counter() - started)
        self._add_times(outcome.times)
        if self._marker is not None:
            self._marker.clear()
        if (fault := self._fault_of(page)) is not None:
            locator, step, at = item.payload.locator, plan.loader_name, plan.loader_at
            outcome.warnings.append(page_failure(locator, fault, fault, step=step, at=at))
        document = getattr(page, "document", None)
        is_public = isinstance(document, Document) and document.is_public
        items = outcome.items if outcome.has_all_items else None
        children, warnings = self._children.make(item.job, item.payload, outcome.links, is_public, items)
        outcome.warnings += warnings
        return outcome.result(1, children)

    def failed_load(self, item: WorkItem, error: Exception) -> Result:
        """The result of a job whose page could not be loaded: all its tasks fail for one reason."""
        outcome = _Outcome(item)
        plan = self._group_plan(item.payload.locator.group)
        names = ",".join(name for chain in plan.chains if _is_wanted(name := chain.task.name, item.payload))
        failure = _failure(error, item, names, plan.loader_name, plan.loader_at)
        if isinstance(error, DisallowedError):
            outcome.skipped = msgspec.structs.replace(failure, cause=error.cause, task="")
            return outcome.result(0)
        attempts = len(item.tried) + 1
        outcome.failures.append(msgspec.structs.replace(failure, attempts=attempts))
        fault = error.fault if isinstance(error, FetchError) else None
        return msgspec.structs.replace(outcome.result(0), fault=fault)

    def add_time(self, step: str, seconds: float) -> None:
        """Add to a step's time; callable from any thread."""
        self._add_times(((step, seconds),))

    def take_times(self) -> dict[str, float]:
        """Seconds by step name since the last call."""
        with self._times_lock:
            times, self._times = self._times, {}
        return times

    def _add_times(self, times: Iterable[tuple[str, float]]) -> None:
        with self._times_lock:
            for step, seconds in times:
                self._times[step] = self._times.get(step, 0.0) + seconds

    def _run_task(self, item: WorkItem, chain: TaskChain, page: object, outcome: _Outcome) -> None:
        name = chain.task.name
        if self._marker is not None:
            self._marker.note(item.job, name)
        job = item.payload
        payload = Payload(item.job, job.locator, job.page, name, page, job.parent)
        warnings: list[Failure] = []
        for link in chain.steps:
            started = time.perf_counter()
            try:
                handover = link.step.run(payload)
            except TaskAbandonedError:
                raise
            except BaseException as error:  # a plugin may call sys.exit: its task fails, the worker continues
                outcome.has_all_items &= chain.task.is_of_links
                outcome.failures.append(self._step_failure(error, item, name, link))
                return
            finally:
                outcome.times.append((link.name, time.perf_counter() - started))
            if found := getattr(handover, "warnings", ()):
                warnings += (_placed(warning, item, name, link) for warning in found)
            if isinstance(handover, ToTask):
                self._note_read(handover.payload.input, payload.input, chain.task, outcome)
                payload = handover.payload
                continue
            if not isinstance(handover, _ENDINGS):
                outcome.failures.append(_failure(_no_handover(handover), item, name, link.name, link.at))
                return
            outcome.take(handover)
            break
        outcome.warnings += warnings

    def _note_read(self, read: object, before: object, task: TaskDef, outcome: _Outcome) -> None:
        """Note rows and records as they were read, before any step changes them."""
        if isinstance(read, Data) and not isinstance(before, Data):
            self._found.note(read)
        elif isinstance(read, Records) and not isinstance(before, Records):
            self._found.note_records(read)
        else:
            return
        if not task.is_of_links and not isinstance(read, LinkData):
            outcome.items.append(read)

    def _step_failure(self, error: BaseException, item: WorkItem, task: str, link: ChainStep) -> Failure:
        kind = (link.name, type(error).__name__)
        if not isinstance(error, StepError | MemoryError) and kind not in self._logged:
            self._logged.add(kind)
            log.warning("job %s: step %s failed unexpectedly", item.job, link.name, exc_info=error)
        return _failure(error, item, task, link.name, link.at)


class _Outcome:
    """Gathers what the tasks of one job make."""

    def __init__(self, item: WorkItem) -> None:
        self._item = item
        self._parts: dict[str, Part] = {}
        self.links: list[Link] = []
        self.items: list[Records | Data] = []
        self.has_all_items = True
        self.times: list[tuple[str, float]] = []
        self.failures: list[Failure] = list(item.failures)
        self.warnings: list[Failure] = []
        self.skipped: Failure | None = None

    def take(self, handover: ToJobs | ToAppender) -> None:
        self.links += handover.links
        if isinstance(handover, ToJobs):
            return
        for part in handover.parts:
            former = self._parts.get(part.output)
            if former is not None:
                part = Part(part.output, former.rows + part.rows, former.body + part.body)
            self._parts[part.output] = part

    def result(self, pages: int, children: tuple[Child, ...] = ()) -> Result:
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


def _is_wanted(task: str, payload: JobPayload) -> bool:
    """Whether the task is to be run on this page."""
    return task not in payload.skip and (not payload.only or task in payload.only)


def _no_handover(answer: object) -> StepError:
    if isinstance(answer, ToGrant):
        return StepError("only a loader may ask for requests")
    what = f"the step answered with {type(answer).__name__}, which is not a handover"
    return StepError(what, hint="end its run with `return ToTask(payload.advance(data))`")


def _failure(error: BaseException, item: WorkItem, task: str, step: str, at: str) -> Failure:
    if isinstance(error, MemoryError):
        error = StepError(
            "the task needs more memory than a worker may use",
            hint="give the node more memory, or fewer workers (scoopi.workers)",
        )
    known = isinstance(error, StepError)
    cause = error.cause if isinstance(error, StepError) else _named(error)
    message = str(error) if known else f"unexpected {cause}{_raised_at(error)}"
    failure = page_failure(item.payload.locator, f"{step}: {cause}", message, task, step, at)
    status = error.fault.status if isinstance(error, FetchError) else 0
    return replace(failure, status=status) if status else failure


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _raised_at(error: BaseException) -> str:
    """The line of the plugin that raised it, else that of Scoopi."""
    frames = traceback.extract_tb(error.__traceback__)
    at = ([frame for frame in frames if not frame.filename.startswith(_NO_PLUGINS)] or frames)[-1:]
    return "".join(f" ({frame.filename}:{frame.lineno})" for frame in at)


def _placed(warning: Failure, item: WorkItem, task: str, link: ChainStep) -> Failure:
    """The warning with all that its step could not know."""
    at = warning.at or link.at
    return page_failure(item.payload.locator, warning.cause, warning.message, task, link.name, at)
