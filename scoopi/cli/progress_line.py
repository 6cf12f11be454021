"""ProgressLine: shows the progress of a run: redrawn in place on a terminal, else as a line every 30 s."""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.text import counted, duration, rate

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from scoopi.model.report.progress import Progress

RECENT = 40
"""Number of reports over which the speed is averaged: about ten seconds."""
LONGEST = 960
"""Most reports over which the speed is averaged to estimate the end: about four minutes.

More than RECENT are used until FEWEST_JOBS have ended in them, as when each page waits for the delay of its
host.
"""
STATUS_S = 30.0
"""Seconds between two lines if none can be redrawn, for example in the log of a service."""
FIRST_TROUBLE_S = 3.0
"""Seconds after which such a line is written early if no page has loaded and a host does not respond, for
example because its port is wrong."""
STEADY = 0.25
"""The speed is steady if both halves of the reports differ from it by at most this fraction."""
FEWEST_JOBS = 20
"""Least number of jobs that must have ended in the reports that the speed is computed from."""
Recent = deque["tuple[float, int, int]"]
"""(seconds, pages, ended jobs) of each of the last reports."""


class ProgressLine:
    """Shows the latest Progress during its `with` block, then removes the line."""

    def __init__(self, terminal: Terminal, quiet: bool) -> None:
        self._terminal = terminal
        self._is_live = terminal.is_live
        self._is_quiet = quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._recent: Recent = deque(maxlen=LONGEST)
        self._next_s = STATUS_S
        self._warned = False

    def __enter__(self) -> ProgressLine:
        if self._is_live and not self._is_quiet:
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
        """Redraw the line on a terminal that can; on others, write one every 30 s, and at the first trouble.

        Does nothing if quiet. Thread-safe.
        """
        if self._is_quiet:
            return
        self._recent.append((progress.seconds, progress.pages, progress.done))
        if self._bar is not None and self._task is not None:
            total = progress.done + progress.left
            text = progress_text(progress, self._recent)
            self._bar.update(self._task, completed=progress.done, total=total or None, text=text)
        elif progress.seconds >= self._next_s or self._is_first_trouble(progress):
            self._warned = True
            self._next_s = progress.seconds + STATUS_S
            text = f"{duration(progress.seconds)}: {progress_text(progress, self._recent)}"
            self._terminal.say(text, event="status", **_figures(progress))

    def _is_first_trouble(self, progress: Progress) -> bool:
        waits = bool(progress.waiting_reason) and not progress.pages
        return waits and not self._warned and progress.seconds >= FIRST_TROUBLE_S

    def _new_bar(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.theme import Theme

        calm = Theme({"bar.complete": "green", "bar.finished": "green", "progress.elapsed": "dim"})
        # Without colours, nothing is dim or bold either.
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


def progress_text(progress: Progress, recent: Recent) -> str:
    """Format the jobs, recent pages/s, time left, failures, retries, and the hosts that the run waits for."""
    words = [f"{progress.done:,}/{counted(progress.done + progress.left, 'job')}"]
    first_seconds, first_pages, _ = recent[max(0, len(recent) - RECENT)]
    if len(recent) > 1 and progress.seconds > first_seconds:
        words.append(f"{rate(progress.pages - first_pages, progress.seconds - first_seconds)} pages/s")
    if (left_s := seconds_left(progress, recent)) is not None:
        words.append(f"{duration(left_s, whole=True)} left")
    if progress.failed:
        words.append(f"{progress.failed:,} failed")
    if progress.skipped:
        words.append(f"{progress.skipped:,} skipped")
    if progress.retrying:
        words.append(f"{progress.retrying:,} waiting for retry, next in {progress.retry_in_s:.0f} s")
    if progress.waiting_hosts:
        words.append(_waiting(progress.waiting_hosts, progress.waiting_reason))
    return "  ".join(words)


def seconds_left(progress: Progress, recent: Recent) -> float | None:
    """Estimate the seconds until the run ends, from its recent speed.

    Returns:
        None unless all pages of the run are known and the speed is steady.
    """
    if not progress.is_complete or not progress.left or len(recent) < RECENT // 2:
        return None
    reports = list(recent)
    first = max(0, len(reports) - RECENT)
    while first and reports[-1][2] - reports[first][2] < FEWEST_JOBS:
        first -= 1
    (begin_s, _, begin), (middle_s, _, middle), (end_s, _, end) = (
        reports[first],
        reports[(first + len(reports)) // 2],
        reports[-1],
    )
    if end - begin < FEWEST_JOBS or not begin_s < middle_s < end_s:
        return None
    speed = (end - begin) / (end_s - begin_s)
    halves = (middle - begin) / (middle_s - begin_s), (end - middle) / (end_s - middle_s)
    if max(abs(half - speed) for half in halves) > STEADY * speed:
        return None
    return max(progress.left / speed, progress.retry_in_s)


def _figures(progress: Progress) -> dict[str, object]:
    names = ("done", "failed", "left", "pages", "retrying", "seconds")
    return {name: getattr(progress, name) for name in names}


def _waiting(hosts: tuple[str, ...], reason: str) -> str:
    why = f" ({printable(reason)})" if reason else ""
    others = f" and {len(hosts) - 1:,} more" if len(hosts) > 1 else ""
    return f"waiting for {printable(hosts[0])}{why}{others}"
