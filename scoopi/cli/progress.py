"""ProgressLine: one line on a terminal that tells how far the run is; nothing where it cannot be redrawn."""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from scoopi.cli.amounts import counted, rate
from scoopi.cli.terminal import Terminal, printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from scoopi.model.progress import Progress

_RECENT = 40
"""So many reports the speed is taken over: some ten seconds."""


class ProgressLine:
    """Shows each Progress that it is given, between `with` and its end; then the line is gone."""

    def __init__(self, terminal: Terminal, quiet: bool) -> None:
        self._terminal = terminal
        self._shows = terminal.is_live and not quiet
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._recent: deque[tuple[float, int]] = deque(maxlen=_RECENT)

    def __enter__(self) -> ProgressLine:
        if self._shows:
            self._bar = self._new_bar()
            self._task = self._bar.add_task("", total=None, told="starting")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        """Redraw; may be called from any thread, cheap when there is no line."""
        if self._bar is None or self._task is None:
            return
        self._recent.append((progress.seconds, progress.pages))
        total = progress.done + progress.left
        self._bar.update(
            self._task, completed=progress.done, total=total or None, told=tell(progress, self._recent)
        )

    def _new_bar(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.theme import Theme

        calm = Theme({"bar.complete": "green", "bar.finished": "green", "progress.elapsed": "dim"})
        # Without colours it is bare: nothing dim or bold either.
        colours: Literal["auto"] | None = "auto" if self._terminal.has_colours else None
        console = Console(file=self._terminal.err, color_system=colours, theme=calm)
        return Progress(
            SpinnerColumn(style="dim"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[told]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
        )


def tell(progress: Progress, recent: deque[tuple[float, int]]) -> str:
    """The words of the line: jobs, pages/s lately, failures, hosts waited for."""
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
