"""A pytest plugin that records which lines of Scoopi each passing test executes in its own process.

Load it with `-p tests.mutation.line_recorder`; it writes into the folder that MUTATION_LINES names.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

FOLDER = "MUTATION_LINES"
_SCOOPI = f"{Path(__file__).parents[2] / 'scoopi'}{os.sep}"


class _Recorder:
    """The lines of the test that runs now; threads that it has started count, too."""

    def __init__(self) -> None:
        self.lines: set[tuple[str, int]] = set()

    def on_call(self, frame: FrameType, event: str, arg: object) -> Any:
        """Follow a function of Scoopi, and no other."""
        if not frame.f_code.co_filename.startswith(_SCOOPI):
            return None
        return self.on_line(frame, event, arg)

    def on_line(self, frame: FrameType, event: str, arg: object) -> Any:
        """Note the line, whatever happens in it."""
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self.on_line


_recorder = _Recorder()
_done: dict[str, Any] = {}
_failed: set[str] = set()


def pytest_configure() -> None:
    """Trace this thread and those to come."""
    threading.settrace(_recorder.on_call)
    sys.settrace(_recorder.on_call)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Collect the lines between the setup of a test and its teardown."""
    sys.settrace(_recorder.on_call)
    _recorder.lines, began = set(), time.monotonic()
    yield
    lines: dict[str, list[int]] = {}
    for file, line in sorted(_recorder.lines):
        lines.setdefault(f"scoopi{os.sep}{file.removeprefix(_SCOOPI)}", []).append(line)
    _done[item.nodeid] = {"seconds": round(time.monotonic() - began, 3), "lines": lines}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test that fails without a mutant says nothing about mutants."""
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write what this process has recorded; with xdist, each of its workers does so."""
    sys.settrace(None)
    threading.settrace(None)
    passed = {name: run for name, run in _done.items() if name not in _failed}
    Path(os.environ[FOLDER], f"{os.getpid()}.json").write_text(json.dumps(passed), encoding="utf-8")
