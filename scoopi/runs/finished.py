"""finished_report: what is told of a run that is over and forgotten by its cluster."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from scoopi.model.report.run_report import ALREADY_OVER, RunReport, RunStatus
from scoopi.runs.run_file import RunFile


def finished_report(run: str, folder: Path, file: RunFile) -> RunReport:
    """From this node's `run.json`; without one it says no more than that the run is over."""
    view, now = file.read(), datetime.now().astimezone()
    if view is None:
        return RunReport(run, str(folder), RunStatus.DONE, now, now, publish_note=ALREADY_OVER)
    return RunReport(
        run=run,
        folder=str(folder),
        status=RunStatus.DONE,
        started=view.started,
        ended=view.ended or now,
        jobs=view.jobs,
        pages=view.pages,
        rows=view.rows,
        errors=view.errors,
        warnings=view.warnings,
        times=view.time,
        publish_note=ALREADY_OVER,
    )
