"""A mutant is tested by the tests that execute it, and by no others."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoopi.periods import duration
from tests.mutation import line_recorder
from tests.mutation.mutants import Mutant
from tests.mutation.recorded_lines import RecordedLines
from tests.structure.sources import ROOT

FILE = "scoopi/store/ports.py"
RECORDED = {
    "tests/store/test_ports.py::test_own": (3.0, {FILE: [10, 11]}),
    "tests/mediator/test_heartbeat.py::test_fast": (0.1, {FILE: [10], "scoopi/store/retries.py": [40]}),
    "tests/mediator/test_heartbeat.py::test_slow": (5.0, {FILE: [10, 30]}),
    "tests/store/test_retries.py::test_other": (0.2, {"scoopi/store/retries.py": [10]}),
}


@pytest.fixture
def recorded(tmp_path: Path) -> RecordedLines:
    for number, (name, (seconds, lines)) in enumerate(RECORDED.items()):
        entry = {name: {"seconds": seconds, "lines": lines}}
        (tmp_path / f"{number}.json").write_text(json.dumps(entry), encoding="utf-8")
    return RecordedLines(tmp_path)


def names(recorded: RecordedLines, line: int, last_line: int, most_seconds: float = 60) -> list[str]:
    mutant = Mutant(Path(FILE), line, last_line, 0, 1, "1", "2")
    chosen = recorded.choice(mutant, most_seconds)
    return [name.partition("::test_")[2] for name in chosen.names]


def test_tests_of_the_file_come_first_then_the_fastest(recorded: RecordedLines) -> None:
    assert names(recorded, 10, 10) == ["own", "fast", "slow"]


def test_a_place_of_several_lines_is_executed_by_each_test_that_reaches_one(recorded: RecordedLines) -> None:
    assert names(recorded, 11, 30) == ["own", "slow"]


def test_what_an_import_executes_is_tested_by_all_that_use_the_file(recorded: RecordedLines) -> None:
    assert names(recorded, 1, 1) == ["own", "fast", "slow"]


def test_as_many_are_chosen_as_the_time_allows_and_one_at_least(recorded: RecordedLines) -> None:
    assert names(recorded, 10, 10, 3.1) == ["own", "fast"]
    assert names(recorded, 30, 30, 1.0) == ["slow"]
    assert recorded.choice(Mutant(Path(FILE), 10, 10, 0, 1, "1", "2"), 3.1).left_out == 1


def test_a_file_that_no_test_executes_itself_is_tested_by_all_the_slowest_first(
    recorded: RecordedLines,
) -> None:
    mutant = Mutant(Path("scoopi/worker/__main__.py"), 5, 5, 0, 1, "1", "2")
    chosen = [name.partition("::test_")[2] for name in recorded.choice(mutant, 60).names]
    assert chosen == ["slow", "own", "other", "fast"]
    assert recorded.choice(mutant, 2.0).left_out == 2, "they may take four times as long"


SAMPLE = """
import threading
from scoopi.periods.duration import duration_text, parse_duration

def test_nothing():
    pass

def test_thread():
    thread = threading.Thread(target=parse_duration, args=("2h",))
    thread.start()
    thread.join()

def test_failing():
    assert duration_text(parse_duration("2h")) is None
"""


def test_the_lines_of_passing_tests_are_recorded_in_all_their_threads(tmp_path: Path) -> None:
    (tmp_path / "test_sample.py").write_text(SAMPLE, encoding="utf-8")
    plugin = ["-p", "tests.mutation.line_recorder", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(ROOT / "pyproject.toml"), *plugin]
    subprocess.run(
        [*command, str(tmp_path / "test_sample.py")],
        cwd=ROOT,
        env={**os.environ, line_recorder.FOLDER: str(tmp_path)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    [file] = tmp_path.glob("*.json")
    executed = {
        name.partition("::")[2]: {
            inspect.getsource(duration).splitlines()[line - 1].strip()
            for line in test["lines"].get("scoopi/periods/duration.py", [])
        }
        for name, test in json.loads(file.read_text()).items()
    }
    assert executed.keys() == {"test_nothing", "test_thread"}
    assert not executed["test_nothing"]
    assert "number, unit = int(match[1]), match[2]" in executed["test_thread"]
    assert "raise PeriodError(" not in executed["test_thread"]
