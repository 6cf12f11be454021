"""Runs a scrape as the work of an attempt of the scheduler, in a process of its own."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from scoopi.app import Scoopi, project_settings
from scoopi.model.decoders import converted, json_decoder
from scoopi.model.inputs import SLOT_PARTS, Inputs
from scoopi.model.report.progress import Progress
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.run_node import FIRST_NODE, RUN
from scoopi.runs.run_file import RunView
from scoopi.scheduler.outcomes import Failed, HandedBack, Noop
from scoopi.serve.work.call import Context
from scoopi.serve.work.publication import Publication, last_rows

_RUNS = "runs"
_RUN_FILE = "run.json"
_SEEN_S, _POLL_S = 60.0, 0.5
"""Seconds that a further node waits for the folder of its run, and seconds between two checks for it."""


def run(context: Context) -> dict[str, Any]:
    """Run or resume the scrape of an attempt, and publish its rows.

    The run is in the folder of the attempt: an attempt whose worker was lost finds it there and resumes it,
    so that the output has every row exactly once.

    Returns:
        The outputs `pages`, `rows`, `failed` and `files`.
    Raises:
        AttemptOutcome: the scrape failed, found nothing, or was stopped.
        ScoopiError: it cannot run.
    """
    spec = context.spec
    process = converted(spec["process"], Process)
    _log_to_stderr()
    report = _report(context, process, Path(spec["project"]))
    if report.status == RunStatus.STOPPED:
        raise HandedBack("stopped")
    context.is_whole = True
    if spec.get("run", {}).get("node", FIRST_NODE) != FIRST_NODE:
        return {}
    folder = Path(report.folder)
    files = sorted(path for path in folder.iterdir() if _is_published(path))
    target = Path(spec["output"]) / process.output / process.name
    rows = sum(report.rows.values())
    outputs: dict[str, Any] = {
        "pages": report.pages,
        "rows": rows,
        "failed": report.jobs.failed,
        "files": [str(target / context.slot.key / file.name) for file in files],
    }
    problem = _problem(report, process, last_rows(target))
    if problem:
        raise Failed(problem, {**outputs, "files": []})
    if not rows:
        raise Noop("no rows", {**outputs, "files": []})
    publication = Publication(target, context.slot.key, process.keep_former)
    publication.publish(files, context.attempt, rows, context.spec["created"])
    return outputs


def _report(context: Context, process: Process, project: Path) -> RunReport:
    """Start or resume the run, and return its report; of a finished run, read the report."""
    run: dict[str, Any] = context.spec.get("run", {})
    runs = Path(run["folder"]) if run else Path(context.folder) / _RUNS
    scoopi = Scoopi(
        project / process.executes.what[0],
        run.get("settings"),
        output=runs,
        conf=project_settings(project),
        workers=None,
        environ=os.environ,
        watch=_PageProgress(context).watch,
        inputs=_inputs(context, process),
        run_name=run.get("name"),
    )
    stopped = _cancel_on_stop(context, scoopi)
    if run:
        _enter(context, run, runs, stopped)
        return scoopi.run()
    resumed = scoopi.resume() if runs.exists() else None
    if resumed is not None:
        return resumed
    finished = _finished(runs)
    return finished if finished is not None else scoopi.run()


def _inputs(context: Context, process: Process) -> Inputs:
    slot = {f"slot.{part}": str(getattr(context.slot, part)) for part in SLOT_PARTS}
    values = {**context.spec["inputs"], **slot}
    return Inputs(values, f"process {process.name}", groups=process.executes.groups)


def _enter(context: Context, run: dict[str, Any], runs: Path, stopped: threading.Event) -> None:
    """Make the folder of a run and report that other nodes may join it; as another node, wait for the folder.

    Raises:
        Failed: this worker does not see the folder of the run.
        HandedBack: the node was stopped meanwhile.
    """
    if run["node"] == FIRST_NODE:
        runs.mkdir(parents=True, exist_ok=True)
        context.progress(**{RUN: run["name"]})
        return
    ends = time.monotonic() + _SEEN_S  # a network file system may show it late
    while not runs.is_dir():
        if stopped.wait(_POLL_S):
            raise HandedBack("stopped")
        if time.monotonic() > ends:
            raise Failed(f"this worker does not see {runs}: all workers of a run need one output folder")


def _cancel_on_stop(context: Context, scoopi: Scoopi) -> threading.Event:
    """Cancel the run once the attempt is to stop; returns the event that is set then."""
    stopped = threading.Event()

    def cancel() -> None:
        stopped.wait()
        scoopi.cancel()

    threading.Thread(target=cancel, name="stop", daemon=True).start()
    context.on_cancel(stopped.set)
    return stopped


class _PageProgress:
    """Reports progress of the attempt when a page was loaded or a job has ended."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._pages = -1

    def watch(self, progress: Progress) -> None:
        if progress.done + progress.pages != self._pages:
            self._pages = progress.done + progress.pages
            self._context.progress()


def _finished(runs: Path) -> RunReport | None:
    """The report of a run that an earlier process has finished but not reported; None if there is none."""
    for path in sorted(runs.glob(f"*/{_RUN_FILE}")):
        if path.parent.is_symlink():
            continue
        view = json_decoder(RunView).decode(path.read_bytes())
        if view.status == RunStatus.DONE:
            return view.report_over(path.parent)
    return None


def _problem(report: RunReport, process: Process, last: int | None) -> str:
    """Why the scrape has failed; empty if it has succeeded."""
    accept, rows = process.executes.accept, sum(report.rows.values())
    if report.status == RunStatus.FAILED or report.missing or not report.published:
        return report.publish_note or "the run failed"
    failed, jobs = report.jobs.failed, report.jobs.failed + report.jobs.done
    if failed > _most(accept.get("failed_pages", 0), jobs):
        cause = f": {report.errors[0].cause}" if report.errors else ""
        return f"{failed} of {jobs} pages failed{cause}"
    if rows < int(accept.get("min_rows", 0)):
        return f"{rows} rows, fewer than min_rows {accept['min_rows']}"
    share = accept.get("less_than_last")
    if last is not None and share is not None and rows < last - _most(share, last):
        return f"{rows} rows, more than {share} fewer than the {last} of the last slot"
    return ""


def _most(limit: int | str, total: int) -> float:
    """The number that a limit stands for; `5 %` is a share of the total."""
    return total * float(limit.rstrip(" %")) / 100 if isinstance(limit, str) else limit


def _is_published(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".") and path.name != _RUN_FILE


def _log_to_stderr() -> None:
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s"
    )
