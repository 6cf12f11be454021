"""Scoopi: one run of a set of definitions, from top to bottom."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scoopi.configs.given import SettingValue, as_texts
from scoopi.errors import UsageError
from scoopi.model.inputs import NO_INPUTS, Inputs
from scoopi.runs.run_request import RunRequest, ignore_notice, output_folder

if TYPE_CHECKING:
    from scoopi.defs.yaml.report import Report
    from scoopi.engine.engine import Engine
    from scoopi.model.report.progress import Progress
    from scoopi.model.report.run_report import RunReport


class Scoopi:
    """One run of a set of definitions; sets no signal handlers and keeps no global state.

    Args:
        defs_dir: a folder of definitions, or one file; None if only `resume` or `retry` is called.
        configs: settings by key, as `-D` gives them; numbers and booleans are accepted.
        output: the folder that holds the runs' folders; `-` writes rows to stdout, once, at the end.
        conf: a file of settings, which take precedence over those of `conf/scoopi.yml` in the current folder.
        workers: the number of worker processes, or `auto`; 0 runs tasks in a thread of this process, unless
            the definitions have scripts; None: as the settings say.
        environ: the environment variables; None: those of this process.
        watch: called with the progress a few times a second.
        notify: called with one-line notices for the user: which run a node joins, and what it waits for.
        run_name: name of the run to join in a cluster (see `scoopi.cluster.addresses`). None: the unfinished
            one of the output folder, else the current one of the same definitions, else a new one.
        limit: number of pages after which the run ends, as if it had no others.
        inputs: values for the definitions' `%{input.NAME}`, as texts. They are kept in the run's folder;
            `${env:NAME}` names a secret, which is read when it is sent.
        groups: the locator groups that are read, with what their links lead to; all when it is empty.
        discard_lost: if the cluster has lost this run, move its existing rows aside and start it again.
    """

    def __init__(
        self,
        defs_dir: str | os.PathLike[str] | None = None,
        configs: Mapping[str, SettingValue] | None = None,
        *,
        output: str | os.PathLike[str] | Literal["-"] = "output",
        conf: str | os.PathLike[str] | None = None,
        workers: str | int | None = 0,
        environ: Mapping[str, str] | None = None,
        watch: Callable[[Progress], None] | None = None,
        notify: Callable[[str], object] = ignore_notice,
        run_name: str | None = None,
        limit: int | None = None,
        discard_lost: bool = False,
        inputs: Mapping[str, str] | Inputs = NO_INPUTS,
        groups: Sequence[str] = (),
    ) -> None:
        self._defs = None if defs_dir is None else Path(defs_dir)
        self._request = RunRequest(
            output=output_folder("output" if output == "-" else output),
            to_stdout=output == "-",
            stdout=getattr(sys.stdout, "buffer", None),
            conf=None if conf is None else Path(conf),
            overrides=as_texts(configs or {}),
            workers=None if workers is None else str(workers),
            environ=os.environ if environ is None else environ,
            watch=watch,
            run=run_name,
            limit=limit,
            discard_lost=discard_lost,
            inputs=inputs if isinstance(inputs, Inputs) else Inputs(inputs, groups=tuple(groups)),
            notify=notify,
            is_stopped=lambda: self._cancelled,
            interrupting=self._interrupting,
        )
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._interrupt: Callable[[], object] = lambda: None
        self._cancelled = self._cancelled_hard = False

    def run(self) -> RunReport:
        """Run the definitions from start to end.

        Raises:
            BootError: the definitions or settings are wrong; nothing has begun.
            AppenderError, StoreError: rows cannot be kept; when that is fixed, `resume` continues.
        """
        report = self._do(self._request.for_definitions(self._defs))
        assert report is not None, "a new run always has a report"
        return report

    def resume(self, run: str | None = None, *, failed: bool = False) -> RunReport | None:
        """Continue a run that was stopped or killed.

        Args:
            run: its folder, or its id; None: the newest unfinished run of the output folder.
            failed: run its failed tasks again, too.
        Returns:
            The report of the run; None when there is nothing to resume.
        Raises:
            As `run`; RunError when the run is still running, or its records are lost.
        """
        return self._do(self._request.for_run(run, "unfinished" if failed else ""))

    def retry(self, run: str | None = None) -> RunReport | None:
        """Run the failed tasks of a run again, and publish its output again.

        Args:
            run: its folder, or its id; None: the newest finished run of the output folder.

        Returns:
            The report of the run; None if the run has no failed tasks, or there is no finished run.
        Raises:
            As `resume`; UsageError for a run of a cluster that the settings do not name.
        """
        return self._do(self._request.for_run(run, "finished"))

    def cancel(self, hard: bool = False) -> None:
        """Shut down gracefully (`hard`: immediately); callable from any thread, before and during the run."""
        with self._lock:
            self._cancelled, self._cancelled_hard = True, self._cancelled_hard or hard
            interrupt, engine = self._interrupt, self._engine
        if engine is not None:
            engine.cancel(hard)  # without the lock: its notice may block, and a second call must pass
        interrupt()

    @contextmanager
    def _interrupting(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """During the `with` block, have `cancel` call `interrupt`, which ends a long call of another library.

        It is needed before there is an engine, which ends its own calls.
        """
        with self._lock:
            self._interrupt, is_late = interrupt, self._cancelled
        try:
            if is_late:
                interrupt()
            yield
        finally:
            with self._lock:
                self._interrupt = lambda: None

    def _do(self, request: RunRequest) -> RunReport | None:
        from scoopi.bootstrap.boot_module import bootstrap_for  # late: a check needs no engine
        from scoopi.model.report.run_report import RunReport

        while True:
            with bootstrap_for(request) as bootstrap:
                opened = bootstrap.open()
                if opened is None or isinstance(opened, RunReport):
                    return opened and _with_records(opened, request)
                report = self._started(opened.engine()).run()
                opened.note(report)
                if not opened.was_left_over(report):
                    return _with_records(report, request)
            request = request.after(report.run)

    def _started(self, engine: Engine) -> Engine:
        with self._lock:
            self._engine = engine
            is_late, hard = self._cancelled, self._cancelled_hard
        if is_late:
            engine.cancel(hard)
        return engine


def _with_records(report: RunReport, request: RunRequest) -> RunReport:
    """Return the report with access to the records that the run has committed."""
    import msgspec

    folder = Path(report.folder).absolute()  # its caller may change the current folder

    def records(name: str) -> Iterator[dict[str, Any]]:
        from scoopi.runs.rows.run_rows_reader import RunRowsReader  # late: few ask

        with RunRowsReader(folder, name, request) as rows:
            yield from rows.records()

    return msgspec.structs.replace(report, reader=records)


def check(
    defs: Path,
    conf: Path | None = None,
    configs: Mapping[str, SettingValue] | None = None,
    strict: bool = False,
    environ: Mapping[str, str] | None = None,
    inputs: Inputs = NO_INPUTS,
) -> Report:
    """Check definitions, or a project of the scheduler, without loading a page or writing a file.

    Args:
        defs: a file or folder of definitions, or the folder of a project.
        conf: a file of settings; by default that of a project, if `defs` is one.
        configs: further settings, by key.
        strict: treat warnings as errors.
        environ: the environment variables; by default those of the process.
        inputs: values of the inputs that definitions name; not for a project.
    Returns:
        Everything that is wrong with them; of a project also what is wrong with its scrapes.
    Raises:
        ConfigError: the settings are wrong.
        UsageError: inputs were given for a project.
    """
    from scoopi.bootstrap.defs_composer import check_definitions
    from scoopi.defs.schedule.schedule_reader import is_project, read_schedule

    if is_project(defs):
        if inputs.values:
            raise UsageError("a project takes its inputs from its processes", hint="leave -i out")
        given = (conf or project_settings(defs), configs, strict, environ)
        now = datetime.now(UTC)
        return read_schedule(defs, lambda scrape, inputs: check(scrape, *given, inputs=inputs), now)[1]
    environ = os.environ if environ is None else environ
    request = RunRequest(
        defs=defs, conf=conf, overrides=as_texts(configs or {}), environ=environ, inputs=inputs
    )
    return check_definitions(request, strict)


def check_scrape(defs: Path, inputs: Inputs, *, project: Path | None = None) -> Report:
    """Check the definitions of a project's scrape, for the inputs that its process gives.

    Args:
        project: its folder; the scrape's settings are read from there.
    Raises:
        ConfigError: the settings are wrong.
    """
    return check(defs, None if project is None else project_settings(project), inputs=inputs)


def project_settings(project: Path) -> Path | None:
    """The file with the settings of all scrapes of a project; None if there is none."""
    path = project / "conf/scoopi.yml"
    return path if path.exists() else None


def extract(
    defs: str | os.PathLike[str],
    page: bytes,
    url: str,
    *,
    group: str | None = None,
    configs: Mapping[str, SettingValue] | None = None,
    inputs: Mapping[str, str] | None = None,
) -> list[Any]:
    """Extract the rows, or records, of one page in memory.

    Definitions are compiled for the first page, and again after they, the settings or the environment have
    changed, so that calling it for many pages is quick.

    Args:
        defs: a file or folder of definitions.
        page: the content of the page, as it was loaded.
        url: the address of the page.
        group: the task group that reads it; by default that of the locator with this address.
        configs: settings, by key.
        inputs: values of the inputs that the definitions name.
    Returns:
        A tuple per row of a grid: locator name, task group, values; a dict per record, in Python's types.
    Raises:
        BootError: the definitions or settings are wrong.
        StepError: a task fails on this page.
        UsageError: no group was named, and no locator has the page's address.
    """
    from scoopi.pages.extractor_cache import extractor_of

    extractor = extractor_of(defs, as_texts(configs or {}), os.environ, inputs or {})
    return extractor.extract(page, url, group)
