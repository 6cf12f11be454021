"""Summary: formats the report of a run, printed at its end."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence

from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.text import counted, duration, labelled, number, rate, short_duration
from scoopi.model.report.causes import Cause
from scoopi.model.report.run_counts import ChangeCounts, EntryTime, LoadCounts, Retries
from scoopi.model.report.run_report import LOADER, RunReport, RunStatus

_MOST_CAUSES = 10
_MOST_NAMES = 10
_MOST_TASKS, _LEAST_TASKS_S = 5, 1.0
_FEWEST_FOR_RATE = 20
"""With fewer pages the rate is dominated by the start of the program."""


class Summary:
    """Formats a report, with colours if the terminal has them.

    Args:
        to_stdout: whether the rows were written to stdout instead of to files.
    """

    def __init__(self, terminal: Terminal, *, to_stdout: bool = False) -> None:
        self._paint = terminal.paint
        self._to_stdout = to_stdout

    def text(self, report: RunReport) -> str:
        """The report as lines of text: the outcome first, the next command last."""
        lines = [self._outcome(report)]
        for label, values in self._facts(report):
            lines += labelled(self._paint, label, values)
        lines += self._causes("errors", report.errors, "red")
        lines += self._causes("skipped", report.skipped, "yellow")
        lines += self._causes("warnings", report.warnings, "yellow")
        lines += self._next(report)
        return "\n".join(lines)

    def _outcome(self, report: RunReport) -> str:
        took = duration(report.seconds)
        total = report.jobs.done + report.jobs.failed + report.jobs.skipped
        if report.status == RunStatus.STOPPED:
            by = f" by {signal.Signals(report.signal).name}" if report.signal else ""
            return self._paint(f"stopped{by}", "bold", "yellow") + f" after {took}"
        if report.status == RunStatus.FAILED or report.missing:
            return self._paint("failed", "bold", "red") + f" after {took}"
        if report.unmet:
            return self._paint("done, but records are not as expected", "bold", "red") + f", in {took}"
        if report.jobs.failed:
            outcome = f"done, but {number(report.jobs.failed)} of {counted(total, 'job')} failed"
            return self._paint(outcome, "bold", "yellow") + f", in {took}"
        if report.budgets:
            return self._paint("done, budget used up", "bold", "yellow") + f" in {took}"
        return self._paint("done", "bold", "green") + f" in {took}"

    def _facts(self, report: RunReport) -> Iterator[tuple[str, list[str]]]:
        yield "jobs", [self._jobs(report)]
        yield "pages", [_pages(report)]
        if report.retries.retries:
            yield "retries", self._retries(report.retries)
        if report.loads:
            yield "loaders", _loads(report.loads)
        yield "rows", self._row_lines(report)
        if report.files.number:
            size = f"{report.files.bytes / 1e6:,.1f} MB"
            yield "files", [f"{counted(report.files.number, 'file')} named by rows, {size}"]
        if report.changes:
            yield "changes", _changes(report.changes)
        if report.unmet:
            yield "expect", self._unmet(report)
        if lines := self._fields(report):
            yield "fields", lines
        if report.empty:
            yield "empty", self._empty(report)
        if times := _times(report.times, report.pages):
            yield "time", [times]
        if len(report.tasks) > 1 and sum(report.tasks.values()) >= _LEAST_TASKS_S:
            yield "tasks", _tasks(report.tasks)
        if report.slowest:
            yield "slowest", _slowest(report.slowest)
        yield "output", self._output(report)
        if report.missing:
            names = [printable(name) for name in report.missing[:_MOST_NAMES]]
            more = len(report.missing) - len(names)
            yield "lost", [f"the rows of {counted(len(report.missing), 'job')} are missing:", *names]
            if more:
                yield "", [f"and {number(more)} more"]
            yield "", [printable(f"segments below {report.folder}/.scoopi are damaged or missing")]

    def _jobs(self, report: RunReport) -> str:
        jobs = report.jobs
        words = [f"{number(jobs.done)} done"]
        if jobs.failed:
            words.append(self._paint(f"{number(jobs.failed)} failed", "red"))
        if jobs.skipped:
            words.append(self._paint(f"{number(jobs.skipped)} skipped", "yellow"))
        if jobs.warned:
            words.append(self._paint(f"{number(jobs.warned)} with warnings", "yellow"))
        if jobs.left is None:
            words.append("number left unknown")
        elif jobs.left:
            words.append(f"{number(jobs.left)} left")
        return ", ".join(words)

    def _retries(self, retries: Retries) -> list[str]:
        reasons = ", ".join(
            f"{number(count)} {printable(reason)}" for reason, count in retries.reasons.items()
        )
        lines = [f"{number(retries.retries)} of {counted(retries.jobs, 'page')}: {reasons}"]
        return lines + [self._paint(printable(words), "yellow") for words in retries.used_up[:_MOST_NAMES]]

    def _row_lines(self, report: RunReport) -> list[str]:
        lines = _rows({"on stdout": sum(report.rows.values())} if self._to_stdout else report.rows)
        for name, count in report.dropped.items():
            lines.append(f"{counted(count, 'record')} dropped from {printable(name)}: equal keys")
        bare = [
            printable(name)
            for name, count in report.rows.items()
            if not count and not report.changes.get(name, ChangeCounts()).unchanged
        ]
        if report.published and report.jobs.done and bare and not report.empty:
            names = ", ".join(bare[:_MOST_NAMES]) + (", …" if len(bare) > _MOST_NAMES else "")
            hint = f"no rows in {names}: check the filters and the links to the pages"
            lines.append(self._paint(hint, "yellow"))
        return lines

    def _fields(self, report: RunReport) -> list[str]:
        """The fields of records with missing, unreadable or rejected values."""
        lines = []
        for each in report.fields:
            counts = {"missing": each.missing, "unreadable": each.unreadable, "rejected": each.rejected}
            faults = [f"{number(count)} {word}" for word, count in counts.items() if count]
            if faults:
                words = ", ".join([f"{number(each.filled)} filled", *faults])
                line = f"{each.data_def}.{each.field}: {words}"
                example = f", as {each.example}" if each.example else ""
                style = "yellow" if each.unreadable or not each.filled else ""
                text = printable(f"{line}{example} ({each.at})")
                lines.append(self._paint(text, style) if style else text)
        shown = lines[:_MOST_NAMES]
        return shown + ([f"and {number(len(lines) - len(shown))} more"] if len(lines) > len(shown) else [])

    def _unmet(self, report: RunReport) -> list[str]:
        """The expectations that were not met."""
        lines = [self._paint(printable(line), "red") for line in report.unmet]
        return [*lines, "their outputs are held back: `.held` is appended to their names"]

    def _empty(self, report: RunReport) -> list[str]:
        """The selectors that found nothing."""
        lines = [self._paint(printable(line), "yellow") for line in report.empty[:_MOST_NAMES]]
        if more := len(report.empty) - len(lines):
            lines.append(f"and {number(more)} more")
        if not report.fields and any(not line.startswith("group ") for line in report.empty):
            lines.append("try the selectors in a browser's inspector; css reads only the element's own text")
        return lines

    def _output(self, report: RunReport) -> list[str]:
        lines = [printable(report.folder)]
        if not report.published:
            lines.append(self._paint("the files do not contain all rows yet", "yellow"))
        if report.publish_note:
            lines.append(printable(report.publish_note))
        return lines

    def _causes(self, title: str, causes: tuple[Cause, ...], style: str) -> Iterator[str]:
        if not causes:
            return
        yield ""
        yield self._paint(title, "bold", style)
        for cause in causes[:_MOST_CAUSES]:
            yield from self._cause(cause)
        more = len(causes) - _MOST_CAUSES
        if more > 0:
            yield f"  and {counted(more, 'other cause')}, see run.json"

    def _cause(self, cause: Cause) -> Iterator[str]:
        example = cause.example
        count = f"{number(cause.count)}x"
        yield f"  {count:>6}  {printable(cause.cause)}"
        if example.message and example.message not in (cause.cause, _without_step(cause)):
            yield from self._detail(example.message)
        parts = [("job", example.job), ("task", example.task), ("step", example.step)]
        names = [f"{name} {value}" for name, value in parts if value]
        if example.attempts > 1:
            names.append(f"{example.attempts} attempts")
        yield from self._detail(", ".join(names))
        if example.url not in example.message:
            yield from self._detail(example.url)
        yield from self._detail(example.at)

    def _detail(self, text: str) -> Iterator[str]:
        for line in printable(text).splitlines():
            yield " " * 10 + self._paint(line, "dim")

    def _next(self, report: RunReport) -> Iterator[str]:
        if report.resume_hint:
            yield ""
            yield self._paint("continue with", "bold") + f"  {printable(report.resume_hint)}"
        elif report.retry_hint:
            yield ""
            yield self._paint("run failed tasks again with", "bold") + f"  {printable(report.retry_hint)}"


def _without_step(cause: Cause) -> str:
    return cause.cause.removeprefix(f"{cause.example.step}: ")


def _pages(report: RunReport) -> str:
    """The number of pages, with the speed unless the run was resumed, as its working time is then unknown."""
    was_resumed = (report.ended - report.started).total_seconds() > report.seconds + 1
    speed = (
        ""
        if was_resumed or report.pages < _FEWEST_FOR_RATE
        else f"  ({rate(report.pages, report.seconds)} pages/s)"
    )
    return number(report.pages) + speed


def _rows(rows: dict[str, int]) -> list[str]:
    if not rows:
        return ["none"]
    width = max(len(number(count)) for count in rows.values())
    lines = [
        f"{number(count):>{width}}  {printable(name)}" for name, count in list(rows.items())[:_MOST_NAMES]
    ]
    more = len(rows) - len(lines)
    if more:
        rest = sum(list(rows.values())[_MOST_NAMES:])
        lines.append(f"{number(rest)} in {counted(more, 'more file')}")
    return lines


def _loads(loads: dict[str, LoadCounts]) -> list[str]:
    """How the pages of groups with `loader: auto` were loaded."""
    lines = [
        f"{printable(group)}: {number(each.http)} by plain HTTP, {number(each.browser)} in a browser"
        for group, each in list(loads.items())[:_MOST_NAMES]
    ]
    more = len(loads) - len(lines)
    return lines + ([f"and {counted(more, 'more group')}"] if more else [])


def _changes(changes: dict[str, ChangeCounts]) -> list[str]:
    """How records differ from those of the last finished run; one line for all outputs with equal counts."""
    names: dict[ChangeCounts, list[str]] = {}
    for name, counts in changes.items():
        names.setdefault(counts, []).append(printable(name))
    lines = []
    for counts, outputs in list(names.items())[:_MOST_NAMES]:
        kinds = ("new", "changed", "gone", "unchanged")
        words = [f"{number(getattr(counts, kind))} {kind}" for kind in kinds]
        if counts.unknown:
            words.append(f"{number(counts.unknown)} unknown as their pages were not loaded")
        lines.append(f"{', '.join(words)}: {', '.join(outputs)}")
    return lines


def _tasks(tasks: dict[str, float]) -> list[str]:
    """The slowest tasks."""
    slowest = sorted(tasks.items(), key=lambda task: -task[1])[:_MOST_TASKS]
    width = max(len(duration(seconds)) for _, seconds in slowest)
    lines = [f"{duration(seconds):>{width}}  {printable(name)}" for name, seconds in slowest]
    more = len(tasks) - len(lines)
    return lines + ([f"and {number(more)} more"] if more else [])


def _slowest(entries: Sequence[EntryTime]) -> list[str]:
    """The slowest entries of data definitions."""
    width = max(len(short_duration(entry.seconds)) for entry in entries)
    return [
        printable(f"{short_duration(entry.seconds):>{width}}  {entry.data_def}: {entry.entry} ({entry.at})")
        for entry in entries
    ]


def _times(times: dict[str, float], pages: int) -> str:
    """The time of each step; for loading the average per page, since many pages load at a time."""
    by_time = sorted(times.items(), key=lambda step: -step[1])
    steps = [f"{printable(step)} {duration(seconds)}" for step, seconds in by_time if step != LOADER]
    if LOADER in times and pages:
        steps.append(f"loading {short_duration(times[LOADER] / pages)} a page")
    return ", ".join(steps)
