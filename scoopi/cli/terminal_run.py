"""run_in_terminal: runs definitions from a terminal, with progress, signals, summary and exit code."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.cli.exit_codes import DONE, code_of_report, code_of_signal
from scoopi.cli.options import read_inputs, read_settings
from scoopi.cli.progress_line import ProgressLine
from scoopi.cli.signals import Signals
from scoopi.cli.terminal import Terminal

if TYPE_CHECKING:
    from scoopi.app import Scoopi
    from scoopi.model.report.run_report import RunReport


def run_in_terminal(
    options: Namespace,
    terminal: Terminal,
    defs: Path | None,
    call: Callable[[Scoopi], RunReport | None],
    run_name: str | None = None,
    discard_lost: bool = False,
) -> int:
    """Call `call` with the Scoopi object that the options describe, and print the summary of its run.

    Args:
        call: starts the run; returns None if there is nothing to do.
        run_name, discard_lost: see `Scoopi`.
    Returns:
        The exit code of the report; 0 if there was nothing to do.
    """
    settings = read_settings(options.settings)
    inputs = read_inputs(getattr(options, "inputs", ()))
    with Signals(terminal) as signals:
        try:
            with ProgressLine(terminal, options.quiet) as line:
                from scoopi.app import Scoopi

                scoopi = Scoopi(
                    defs_dir=defs,
                    output="-" if options.output == "-" else Path(options.output),
                    conf=options.conf,
                    configs=settings,
                    workers=options.workers,
                    environ=terminal.environ,
                    watch=line.show,
                    notify=(lambda _: None) if options.quiet else terminal.say,
                    run_name=run_name,
                    limit=options.limit,
                    discard_lost=discard_lost,
                    inputs=inputs,
                    groups=getattr(options, "groups", ()),
                )
                signals.serve(scoopi.cancel)
                with terminal.kept_for_data():
                    report = call(scoopi)
        except Exception:
            if signals.count > 1 and signals.number:  # errors during an immediate shutdown are expected
                return code_of_signal(signals.number)
            raise
        return DONE if report is None else _summarize(report, signals.number, options, terminal)


def _summarize(report: RunReport, number: int | None, options: Namespace, terminal: Terminal) -> int:
    from msgspec import to_builtins
    from msgspec.structs import replace

    from scoopi.cli.summary import Summary

    if report.signal is None and report.status == "stopped":
        report = replace(report, signal=number)
    code = code_of_report(report)
    if code != DONE or not options.quiet:
        text = Summary(terminal, to_stdout=options.output == "-").text(report)
        jobs = to_builtins(report.jobs)
        figures = {"run": report.run, "status": report.status, "jobs": jobs, "pages": report.pages}
        terminal.say(text, event="summary", **figures, rows=report.rows, seconds=round(report.seconds, 3))
    return code
