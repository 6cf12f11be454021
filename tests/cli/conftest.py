"""A terminal of two texts, and a scripted stand-in for the engine behind the verbs."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import pytest

from scoopi.cli.main import main
from scoopi.cli.terminal import Terminal
from scoopi.model.report.run_counts import JobCounts
from scoopi.model.report.run_report import RunReport, RunStatus


class StandIn:
    """Remembers how the verbs call the engine; answers with `report` or raises `error`."""

    def __init__(self) -> None:
        self.made: dict[str, Any] = {}
        self.calls: list[Any] = []
        self.cancels: list[bool] = []
        self.during: Callable[[], object] = lambda: None
        self.error: Exception | None = None
        self.report: Any = RunReport(
            run="r1",
            folder="output/r1",
            status=RunStatus.DONE,
            started=datetime(2026, 1, 1, tzinfo=UTC),
            ended=datetime(2026, 1, 1, tzinfo=UTC),
            jobs=JobCounts(done=2),
            seconds=1.0,
        )

    def make(self, **arguments: Any) -> StandIn:
        self.made = arguments
        return self

    def run(self) -> Any:
        return self._answer("run")

    def resume(self, run: str | None, *, failed: bool = False) -> Any:
        return self._answer(("resume", run, failed) if failed else ("resume", run))

    def check(self, *arguments: Any) -> Any:
        return self._answer(("check", *arguments))

    def cancel(self, hard: bool = False) -> None:
        self.cancels.append(hard)

    def _answer(self, call: Any) -> Any:
        self.calls.append(call)
        self.during()
        if self.error:
            raise self.error
        return self.report


class Screen:
    """Runs command lines, and shows what they wrote."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.err = io.StringIO()
        self.environ: dict[str, str] = {}

    @property
    def terminal(self) -> Terminal:
        return Terminal(self.out, self.err, self.environ)

    def run(self, *arguments: str) -> int:
        return main(arguments, self.terminal)


@pytest.fixture
def screen() -> Screen:
    return Screen()


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    made = StandIn()
    module = ModuleType("scoopi.app")
    module.Scoopi = made.make  # type: ignore[attr-defined]
    module.check = made.check  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "scoopi.app", module)
    return made
