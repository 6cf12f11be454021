"""RecordedLines: which tests execute the lines of a mutant, so that no others need to run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.mutation.mutants import Mutant

_MORE_OF_CHILDREN = 4
"""How many times as long the tests of a file may take that only child processes execute."""


@dataclass(frozen=True)
class _Run:
    """A test as it was recorded."""

    name: str
    seconds: float
    lines: frozenset[tuple[str, int]]
    files: frozenset[str]


@dataclass(frozen=True)
class Choice:
    """The tests of a mutant.

    Attributes:
        names: pytest's ids, in the order in which they run.
        seconds: how long they took when they were recorded.
        left_out: how many more execute its lines.
    """

    names: tuple[str, ...]
    seconds: float
    left_out: int


class RecordedLines:
    """What `line_recorder.py` has written into a folder."""

    def __init__(self, folder: Path) -> None:
        """Read the folder's files."""
        self._runs = [
            _run(name, entry)
            for file in sorted(folder.glob("*.json"))
            for name, entry in json.loads(file.read_text(encoding="utf-8")).items()
        ]

    def choice(self, mutant: Mutant, most_seconds: float) -> Choice:
        """Return the tests that execute the mutant: those in the file of its name first, then the fastest.

        What is executed when the module is imported belongs to no test; all tests that execute something of
        the file test it. A file that no test executes may be executed by processes that tests start: all
        tests test it, the slowest first, as these start processes.

        Args:
            most_seconds: as many as fit into this time are chosen, and one at least; four times as many of a
                file that no test executes itself.
        """
        file = str(mutant.file)
        wanted = {(file, line) for line in range(mutant.line, mutant.last_line + 1)}
        found = [run for run in self._runs if not wanted.isdisjoint(run.lines)]
        found = found or [run for run in self._runs if file in run.files]
        own = f"/test_{mutant.file.stem}.py::"
        if found:
            found.sort(key=lambda run: (own not in run.name, run.seconds, run.name))
        else:
            found = sorted(self._runs, key=lambda run: (-run.seconds, run.name))
            most_seconds *= _MORE_OF_CHILDREN
        chosen = list(_within(found, most_seconds))
        names = tuple(run.name for run in chosen)
        return Choice(names, sum(run.seconds for run in chosen), len(found) - len(chosen))


def _within(runs: Iterable[_Run], most_seconds: float) -> Iterable[_Run]:
    seconds = 0.0
    for run in runs:
        seconds += run.seconds
        if seconds > most_seconds and seconds != run.seconds:
            return
        yield run


def _run(name: str, entry: dict[str, Any]) -> _Run:
    lines = frozenset((file, line) for file, numbers in entry["lines"].items() for line in numbers)
    return _Run(name, entry["seconds"], lines, frozenset(entry["lines"]))
