"""carry_out: runs definitions from a terminal, with a progress line, signals, summary and exit code."""

from __future__ import annotations

from argparse import Namespace
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from scoopi.cli.exit_codes import DONE, code_of_report, code_of_signal
from scoopi.cli.options import read_settings
from scoopi.cli.signals import Signals
from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.text import counted, rate

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from scoopi.app import Scoopi
    from scoopi.model.report.run_report import Progress, RunReport

_RECENT = 40
"""Reports over which the speed is averaged: about ten seconds."""


class ProgressLine:
    """Shows the latest Progress while its `with` block runs, then removes the line."""

    def __init__(self, terminal: Terminal, quiet: bool) -> None:
        self._terminal = terminal
        self._shows = terminal.is_live and not quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._recent: deque[tuple[float, int]] = deque(maxlen=_RECENT)

    def __enter__(self) -> ProgressLine:
        if self._shows:
            self._bar = self._new_bar()
            self._task = self._bar.add_task("", total=None, text="starting")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Redraw the line; callable from any thread, and cheap if there is no line."""
        if self._bar is None or self._task is None:
            return
        self._recent.append((progress.seconds, progress.pages))
        total = progress.done + progress.left
        text = progress_text(progress, self._recent)
        self._bar.update(self._task, completed=progress.done, total=total or None, text=text)

    def _new_bar(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.theme import Theme

        calm = Theme({"bar.complete": "green", "bar.finished": "green", "progress.elapsed": "dim"})
        # Without colours nothing is dim or bold either.
        colours: Literal["auto"] | None = "auto" if self._terminal.has_colours else None
        console = Console(file=self._terminal.err, color_system=colours, theme=calm)
        return Progress(
            SpinnerColumn(style="dim"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[text]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
        )


def progress_text(progress: Progress, recent: deque[tuple[float, int]]) -> str:
    """Jobs, recent pages/s, failures, and the hosts that the run waits for."""
    words = [f"{progress.done:,}/{counted(progress.done + progress.left, 'job')}"]
    first_seconds, first_pages = recent[0]
    if len(recent) > 1 and progress.seconds > first_seconds:
        words.append(f"{rate(progress.pages - first_pages, progress.seconds - first_seconds)} pages/s")
    if progress.failed:
        words.append(f"{progress.failed:,} failed")
    if progress.waiting_hosts:
        words.append(_waiting(progress.waiting_hosts))
    return "  ".join(words)


def _waiting(hosts: tuple[str, ...]) -> str:
    others = f" and {len(hosts) - 1:,} more" if len(hosts) > 1 else ""
    return f"waiting for {printable(hosts[0])}{others}"


def carry_out(
    options: Namespace,
    terminal: Terminal,
    defs: Path | None,
    call: Callable[[Scoopi], RunReport | None],
    run_name: str | None = None,
    discard_lost: bool = False,
) -> int:
    """Call `call` with the run that the options describe, and print its summary.

    Args:
        run_name, discard_lost: see `Scoopi`.
    Returns:
        The exit code of the report; 0 if there was nothing to do.
    """
    settings = read_settings(options.settings)
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
                    discard_lost=discard_lost,
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
    from msgspec.structs import replace

    from scoopi.cli.summary import Summary

    if report.signal is None and report.status == "stopped":
        report = replace(report, signal=number)
    code = code_of_report(report)
    if code != DONE or not options.quiet:
        terminal.say(Summary(terminal, to_stdout=options.output == "-").text(report))
    return code
