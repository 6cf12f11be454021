"""OpenedRun: a run that Bootstrap has opened on this node: its engine, and what is noted when it is over."""

from __future__ import annotations

from collections.abc import Callable

from injector import Injector

from scoopi.bootstrap.wiring.modules import run_modules
from scoopi.configs.groups import WorkerSettings
from scoopi.engine.engine import Engine
from scoopi.errors import RunError
from scoopi.mediator.workers.worker_launcher import WorkerLauncher
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.runs.composed import has_scripts
from scoopi.runs.folders.run_folder import point_latest
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_request import RunRequest


class OpenedRun:
    """Valid until its Bootstrap is closed."""

    def __init__(self, request: RunRequest, context: RunContext, launcher: WorkerLauncher) -> None:
        self._request = request
        self._context = context
        self._launcher = launcher

    def engine(self) -> Engine:
        """A new engine that does this node's part of the run; call it once."""
        return Injector(run_modules(self._context, self._launch()), auto_bind=False).get(Engine)

    def note(self, report: RunReport) -> None:
        """If the run is over, record that in the node's folder, so that `resume` skips it.

        Raises:
            RunError: the folder cannot be written.
        """
        if report.status is not RunStatus.DONE:
            return
        folder = self._context.folder
        try:
            folder.write_state(self._context.run, over=True)
        except OSError as error:
            raise RunError(
                f"all rows are published, but the end of the run cannot be recorded: {error.strerror}",
                at=str(folder.path),
                hint="make room or fix the folder; `scoopi resume` records it",
            ) from error
        if not self._request.to_stdout:
            point_latest(folder.path)

    def was_left_over(self, report: RunReport) -> bool:
        """Whether this only published the rows of an earlier run that this node had left unfinished.

        Nobody asked for that run by its name, so the node continues with the current one.
        """
        context = self._context
        done = context.returned and context.was_over and report.status is RunStatus.DONE
        if done and not report.missing:
            rows = sum(report.rows.values())
            self._request.notify(f"run {report.run} was over: its {rows} rows of this node are published now")
        return done and not report.missing

    def _launch(self) -> Callable[[], WorkerLink]:
        """With 0 workers tasks run in a thread, but not scripts: one could hold the interpreter."""
        context = self._context
        if WorkerSettings.of(context.configs).workers or has_scripts(context.composed.definitions):
            return self._launcher.launch
        from scoopi.bootstrap.worker_wiring import wire  # late: a worker process has its own

        return self._launcher.thread_first(wire)
