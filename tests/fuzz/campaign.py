"""Campaign: feeds a target in a child process, and records which input broke it and how."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from tests.fuzz.target import Target

_SLACK_S = 60.0
"""How long a child may take to start its target, and to end."""
_POLL_S = 0.2
_MOST_KEPT = 50
_SETTLED = 1000


@dataclass(frozen=True, slots=True)
class Plan:
    """Which inputs are given.

    Attributes:
        make: makes the target of a seed; runs in the child, so it must be importable.
        first: number of the first input.
        end: the number after the last one.
        until: seconds of the monotonic clock after which no further input is given.
        folder: where inputs that show a fault are kept.
    """

    make: Callable[[int], Target]
    seed: int
    first: int
    end: int
    folder: Path
    until: float = float("inf")


@dataclass(frozen=True, slots=True)
class Marks:
    """What the child reports to its parent, in shared memory that outlives the child.

    Attributes:
        at: number of the input that is being given; -1 before the first, `Plan.end` after the last.
        exceptions: inputs that raised what no caller expects.
        refused: inputs that the code refused with a proper error.
        worst_us: the longest time that one input took; `worst_at` is its number.
        peak_kb: the most memory that the child held.
        grown_kb: resident memory beyond that after the first thousand inputs.
    """

    at: Synchronized[int]
    inputs: Synchronized[int]
    exceptions: Synchronized[int]
    refused: Synchronized[int]
    worst_us: Synchronized[int]
    worst_at: Synchronized[int]
    peak_kb: Synchronized[int]
    grown_kb: Synchronized[int]


@dataclass(slots=True)
class Report:
    """The figures of one target.

    Attributes:
        exceptions: inputs that raised what no caller expects.
        hangs: inputs that took longer than the target's timeout, as lines.
        deaths: inputs at which the process died, as lines.
    """

    name: str
    inputs: int = 0
    seconds: float = 0.0
    exceptions: int = 0
    refused: int = 0
    hangs: list[str] = field(default_factory=list)
    deaths: list[str] = field(default_factory=list)
    worst_ms: float = 0.0
    worst_at: int = 0
    peak_mb: float = 0.0
    grown_kb: int = 0

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not (self.exceptions or self.hangs or self.deaths)

    def text(self) -> str:
        """One line of figures, and one for each hang and death."""
        found = f"{self.exceptions} exceptions, {len(self.hangs)} hangs, {len(self.deaths)} deaths"
        cost = f"worst {self.worst_ms:,.0f} ms (input {self.worst_at}), peak {self.peak_mb:,.0f} MB"
        given = f"{self.inputs:>9,} inputs in {self.seconds:.0f} s, {self.refused:,} refused"
        return "\n".join([f"{self.name:12} {given}: {found}; {cost}", *self.hangs, *self.deaths])


class Campaign:
    """Watches the child that feeds; one that dies or hangs is replaced, from the next input on.

    Args:
        host_timeout_s: overrides the target's own.
    """

    def __init__(self, plan: Plan, name: str, host_timeout_s: float) -> None:
        self._plan = plan
        self._host_timeout_s = host_timeout_s
        self._spawning = multiprocessing.get_context("spawn")
        self._report = Report(name)
        self.marks = Marks(*(self._spawning.Value("q", 0) for _ in range(8)))

    def run(self) -> Report:
        """Give all inputs of the plan."""
        report, plan, started = self._report, self._plan, time.monotonic()
        while plan.first < plan.end and time.monotonic() < plan.until:
            self._round(plan)
            plan = replace(plan, first=self.marks.at.value + 1)
        marks = self.marks
        report.seconds = time.monotonic() - started
        report.inputs, report.exceptions = marks.inputs.value, marks.exceptions.value
        report.refused, report.grown_kb = marks.refused.value, marks.grown_kb.value
        report.worst_ms, report.worst_at = marks.worst_us.value / 1000, marks.worst_at.value
        report.peak_mb = marks.peak_kb.value / 1024
        return report

    def _round(self, plan: Plan) -> None:
        """Run one child until it ends, dies or hangs."""
        self.marks.at.value = -1
        process = self._spawning.Process(target=_feed_quietly, args=(plan, self.marks), daemon=True)
        process.start()
        is_stuck = self._is_stuck(process)
        if is_stuck:
            process.kill()
        process.join()
        number = self.marks.at.value = max(self.marks.at.value, plan.first)
        if is_stuck:
            self._report.hangs.append(self._kept(number, f"took more than {self._host_timeout_s:g} s"))
        elif number != plan.end:
            self._report.deaths.append(self._kept(number, _death(process.exitcode or 0)))

    def _is_stuck(self, process: SpawnProcess) -> bool:
        """Wait until the process ends; True when it stays at one input for too long."""
        at, since = -2, time.monotonic()
        while process.is_alive():
            process.join(_POLL_S)
            now = time.monotonic()
            if self.marks.at.value != at:
                at, since = self.marks.at.value, now
            elif now - since > (self._host_timeout_s if 0 <= at < self._plan.end else _SLACK_S):
                return True
        return False

    def _kept(self, number: int, fault: str) -> str:
        plan = self._plan
        target = plan.make(plan.seed)
        try:
            file = keep(plan, target, number, fault)
        finally:
            target.close()
        return f"  input {number}: {fault}; kept in {file}"


def _feed_quietly(plan: Plan, marks: Marks) -> None:
    """As `feed`, without the thousands of warnings that damaged inputs cause."""
    logging.disable(logging.CRITICAL)
    feed(plan, marks)


def feed(plan: Plan, marks: Marks) -> None:
    """Give the inputs of the plan; one that raises is kept, and the next one given. Runs in the child."""
    target = plan.make(plan.seed)
    settled_kb = 0
    for number in range(plan.first, plan.end):
        if time.monotonic() >= plan.until:
            break
        marks.at.value = number
        _give(plan, target, number, marks)
        if number - plan.first == _SETTLED:
            settled_kb = _status_kb("VmRSS")
    marks.grown_kb.value = max(0, _status_kb("VmRSS") - settled_kb) if settled_kb else 0
    marks.peak_kb.value = max(marks.peak_kb.value, _status_kb("VmHWM"))
    target.close()
    marks.at.value = plan.end


def keep(plan: Plan, target: Target, number: int, fault: str) -> Path:
    """Write the input, and beside it what happened; returns the input's file."""
    plan.folder.mkdir(parents=True, exist_ok=True)
    file = plan.folder / f"{target.name}-{plan.seed}-{number}.input"
    file.write_bytes(target.shown(number))
    file.with_suffix(".txt").write_text(fault, encoding="utf-8")
    return file


def _give(plan: Plan, target: Target, number: int, marks: Marks) -> None:
    started = time.perf_counter()
    try:
        if not target.feed(number):
            marks.refused.value += 1
    except Exception:
        marks.exceptions.value += 1
        if marks.exceptions.value <= _MOST_KEPT:
            keep(plan, target, number, traceback.format_exc())
    took_us = int((time.perf_counter() - started) * 1e6)
    marks.inputs.value += 1
    if took_us > marks.worst_us.value:
        marks.worst_us.value, marks.worst_at.value = took_us, number
        marks.peak_kb.value = max(marks.peak_kb.value, _status_kb("VmHWM"))


def _death(code: int) -> str:
    return f"died of {signal.Signals(-code).name}" if code < 0 else f"exited with {code}"


def _status_kb(key: str) -> int:
    status = Path(f"/proc/{os.getpid()}/status").read_text(encoding="ascii")
    return int(status.split(f"{key}:")[1].split()[0])
