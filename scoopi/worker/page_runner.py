"""PageRunner: runs the tasks of a job on its loaded page, one step after another, and makes the Result."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from scoopi.errors import DisallowedError, FetchError, LoadFault, StepError
from scoopi.model.data import Data, LinkData
from scoopi.model.downloads import Downloads, FileRef, FileRequest, KeptFile
from scoopi.model.failure import Failure, page_failure
from scoopi.model.handover import Payload, ToAppender, ToFiles, ToGrant, ToJobs, ToTask
from scoopi.model.job import JobPayload
from scoopi.model.locator import Document
from scoopi.model.records import Records
from scoopi.model.scrape.task_def import TaskDef
from scoopi.worker.crash_marker import CrashMarker
from scoopi.worker.downloads.page_outcome import PageOutcome, PausedPage, PausedTask
from scoopi.worker.found_values import FoundValues
from scoopi.worker.links.child_jobs import ChildJobs
from scoopi.worker.messages import Result, WorkItem
from scoopi.worker.worker_parts import ChainStep, GroupPlan, TaskChain

log = logging.getLogger(__name__)

_NO_PLUGINS = (str(Path(__file__).parents[1]), str(Path(traceback.__file__).parent), "<")
"""Prefixes of the paths of files that do not belong to a plugin."""

_ENDINGS = (ToJobs, ToAppender)


class TaskAbandonedError(BaseException):
    """Raised in a thread whose task took too long; its result is discarded."""


class PageRunner:
    """Runs the tasks of a job on its loaded page, one step after another, and makes the Result.

    Used by the steps' thread; only `add_time` and `take_times` may be called by other threads.

    Args:
        group_plan: returns the compiled tasks of a group, by its name.
        children: makes jobs from links.
        marker: where the current task is recorded; None where no watchdog reads it.
        found: counts the values that are found.
        fault_of: why a page gave no values; see `Loader.fault_of`.
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

    def run(self, item: WorkItem, page: object) -> Result | PausedPage:
        """Run every task of the job's group on its page; a task that fails loses only its own rows and links.

        Returns:
            A PausedPage if tasks wait for files; see `resume`.
        """
        outcome = PageOutcome(item)
        plan = self._group_plan(item.payload.locator.group)
        paused: list[PausedTask] = []
        for chain in plan.chains:
            if not _is_wanted(chain.task.name, item.payload):
                outcome.has_all_items &= chain.task.is_of_links
                continue
            started = time.perf_counter()
            if (task := self._run_task(item, chain, page, outcome)) is not None:
                paused.append(task)
            self._found.note_time(chain.task.group, chain.task.name, time.perf_counter() - started)
        self._add_times(outcome.times)
        if self._marker is not None:
            self._marker.clear()
        if (fault := self._fault_of(page)) is not None:
            locator, step, at = item.payload.locator, plan.loader_name, plan.loader_at
            outcome.warnings.append(page_failure(locator, fault, fault, step=step, at=at))
        document = getattr(page, "document", None)
        is_public = isinstance(document, Document) and document.is_public
        made = PausedPage(item, outcome, tuple(paused), is_public)
        return made if paused else self._ended(made)

    def resume(self, paused: PausedPage, files: Mapping[FileRequest, KeptFile | FetchError]) -> Result:
        """Finish the tasks that have waited for files.

        Args:
            files: the outcome of each file. If one failed transiently, the job is retried, unless it has
                used up its retries.
        """
        outcome = paused.outcome
        outcome.times = []
        for task in paused.tasks:
            if self._marker is not None:
                self._marker.note(paused.item.job, task.chain.task.name)
            payload = task.payload.advance(Downloads(task.payload.input, files))
            self._run_steps(replace(task, payload=payload), paused.item, outcome)
        self._add_times(outcome.times)
        if self._marker is not None:
            self._marker.clear()
        faults = (each.fault for each in files.values() if isinstance(each, FetchError))
        passing = next((fault for fault in faults if fault.is_transient), None)
        return self._ended(paused, passing)

    def _ended(self, page: PausedPage, passing: LoadFault | None = None) -> Result:
        """The result of a page; after a passing fault the parent may try again, and then nothing counts."""
        item, outcome = page.item, page.outcome
        items = outcome.items if outcome.has_all_items else None
        children, warnings = self._children.make(item.job, item.payload, outcome.links, page.is_public, items)
        outcome.warnings += warnings
        result = outcome.result(1, children)
        if passing is None:
            self._found.note(*outcome.reads)
            return result
        return replace(result, fault=passing, finds=self._found.counts_of(outcome.reads))

    def failed_load(self, item: WorkItem, error: Exception) -> Result:
        """The result of a job whose page could not be loaded: all of its tasks fail for this reason.

        If robots.txt disallows the page, the job is skipped instead.
        """
        outcome = PageOutcome(item)
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
        """Add seconds to a step's time; callable from any thread."""
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

    def _run_task(
        self, item: WorkItem, chain: TaskChain, page: object, outcome: PageOutcome
    ) -> PausedTask | None:
        """Run a task; return it if it waits for files, None if it is over."""
        name = chain.task.name
        if self._marker is not None:
            self._marker.note(item.job, name)
        job = item.payload
        payload = Payload(item.job, job.locator, job.page, name, page, job.parent)
        return self._run_steps(PausedTask(chain, 0, payload), item, outcome)

    def _run_steps(self, task: PausedTask, item: WorkItem, outcome: PageOutcome) -> PausedTask | None:
        """Run the remaining steps of a task."""
        name, payload = task.chain.task.name, task.payload
        warnings: list[Failure] = [*task.warnings]
        files: list[FileRef] = []
        for at, link in enumerate(task.chain.steps[task.at :], task.at):
            started = time.perf_counter()
            try:
                handover = link.step.run(payload)
            except TaskAbandonedError:
                raise
            except BaseException as error:  # a plugin may call sys.exit: its task fails, the worker continues
                outcome.has_all_items &= task.chain.task.is_of_links
                outcome.failures.append(self._step_failure(error, item, name, link))
                return None
            finally:
                outcome.times.append((link.name, time.perf_counter() - started))
            if found := getattr(handover, "warnings", ()):
                warnings += (_placed(warning, item, name, link) for warning in found)
            if isinstance(handover, ToTask):
                self._note_read(handover.payload.input, payload.input, task.chain.task, outcome)
                files += handover.files
                payload = handover.payload
                continue
            if isinstance(handover, ToFiles) and not isinstance(payload.input, Downloads):
                return PausedTask(task.chain, at, payload, handover.requests, tuple(warnings))
            if not isinstance(handover, _ENDINGS):
                outcome.failures.append(_failure(_no_handover(handover), item, name, link.name, link.at))
                return None
            outcome.take(handover, files)
            break
        outcome.warnings += warnings
        return None

    def _note_read(self, read: object, before: object, task: TaskDef, outcome: PageOutcome) -> None:
        """Record rows and records as they were read, before any step changes them."""
        if isinstance(before, Data | Records | Downloads):
            return
        if not isinstance(read, Data | Records):
            return
        outcome.reads.append(read)
        if self._children.needs_items and not task.is_of_links and not isinstance(read, LinkData):
            outcome.items.append(read)

    def _step_failure(self, error: BaseException, item: WorkItem, task: str, link: ChainStep) -> Failure:
        kind = (link.name, type(error).__name__)
        if not isinstance(error, StepError | MemoryError) and kind not in self._logged:
            self._logged.add(kind)
            log.warning("job %s: step %s failed unexpectedly", item.job, link.name, exc_info=error)
        return _failure(error, item, task, link.name, link.at)


def _is_wanted(task: str, payload: JobPayload) -> bool:
    """Whether the task shall run on this page."""
    return task not in payload.skip and (not payload.only or task in payload.only)


def _no_handover(answer: object) -> StepError:
    if isinstance(answer, ToGrant):
        return StepError("only a loader may ask for requests")
    what = f"the step returned {type(answer).__name__}, which is not a handover"
    return StepError(what, hint="end `run` with `return ToTask(payload.advance(data))`")


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
    """The innermost line of the plugin's code in the traceback; without one, of Scoopi's."""
    frames = traceback.extract_tb(error.__traceback__)
    at = ([frame for frame in frames if not frame.filename.startswith(_NO_PLUGINS)] or frames)[-1:]
    return "".join(f" ({frame.filename}:{frame.lineno})" for frame in at)


def _placed(warning: Failure, item: WorkItem, task: str, link: ChainStep) -> Failure:
    """A warning with what its step did not know: task, step and place."""
    at = warning.at or link.at
    return page_failure(item.payload.locator, warning.cause, warning.message, task, link.name, at)
