"""Mutation testing: changes a sample of a room's code in small ways; each change should fail a test.

python -m tests.mutation --room store --sample 30 --seed 1

The tests run once to record which lines each of them executes. Then each mutant is tested by those that
execute it. The result is given with and without tuning constants: a test that repeats the size of a batch
proves nothing, so only the promises that such a number keeps are tested.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.mutation import line_recorder
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.recorded_lines import Choice, RecordedLines

ROOT = Path(__file__).parents[2]
_MOST_TESTS_S = 30.0
"""How long the chosen tests of a mutant may take, as they were recorded."""
_SPARE_S = 40.0
"""What starting pytest and what the tests share, such as a member of a cluster, may take beside."""
_RECORDING_S = 1800
_TEST_S = 30
"""A test that takes longer hangs; most mutants that hang do so in their first test."""
_SKIPPED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "output", "scheduler.d")


def main() -> int:
    """Run the command; returns 1 if a mutant survived."""
    options = _options()
    chosen = _chosen(options)
    until = time.monotonic() + options.seconds
    tried: list[tuple[Mutant, bool]] = []
    with tempfile.TemporaryDirectory(prefix="scoopi-mutation-") as name:
        bench = _Bench(Path(name) / "tree")
        recorded = _recorded(bench, options, Path(name) / "lines")
        for mutant in chosen:
            if time.monotonic() > until:
                print(f"out of time; continue with --skip {options.skip + len(tried)}")
                break
            tests = recorded.choice(mutant, _MOST_TESTS_S)
            survives = bench.survives(mutant, tests)
            tried.append((mutant, survives))
            shown = f"  ({len(tests.names)} tests, {tests.left_out} more left out)" if survives else ""
            print("SURVIVED" if survives else "killed  ", f"{mutant}{shown}", flush=True)
    print(f"{options.room}, seed {options.seed}: {summary(tried)}")
    return 1 if any(survives for _, survives in tried) else 0


def summary(tried: Sequence[tuple[Mutant, bool]]) -> str:
    """The shares of killed mutants, of all and of those that change no tuning constant.

    Args:
        tried: the mutants, each with whether it survived.
    """
    others = [each for each in tried if not each[0].is_tuning]
    return f"{_killed(tried)}; without {len(tried) - len(others)} tuning constants {_killed(others)}"


def _killed(tried: Sequence[tuple[Mutant, bool]]) -> str:
    killed = sum(not survives for _, survives in tried)
    return f"{killed} of {len(tried)} killed ({killed / max(1, len(tried)):.1%})"


class _Bench:
    """A copy of the checkout, in which one file after another is changed and tested."""

    def __init__(self, copy: Path) -> None:
        shutil.copytree(ROOT, copy, ignore=_SKIPPED, symlinks=True)
        self._copy = copy

    def record(self, tests: list[str], folder: Path) -> None:
        """Run the tests unchanged, and record which lines they execute."""
        folder.mkdir(parents=True, exist_ok=True)
        arguments = ["-n", "2", "--dist", "worksteal", "-p", "tests.mutation.line_recorder", *tests]
        status = self._status(arguments, _RECORDING_S, {line_recorder.FOLDER: str(folder)})
        if status != pytest.ExitCode.OK:
            print(f"without a mutant the tests end with {status}; those that failed are left out", flush=True)

    def survives(self, mutant: Mutant, tests: Choice) -> bool:
        """Whether all tests pass with the mutant. Tests that take too long have failed, as in CI."""
        if not tests.names:
            return True
        changed = self._copy / mutant.file
        source, times = changed.read_bytes(), changed.stat()
        changed.write_bytes(mutant.applied(source))
        # Python compares times in whole seconds, so the bytecode of one mutant would be taken for the next.
        environ = {"PYTHONDONTWRITEBYTECODE": "1"}
        arguments = ["-x", "--timeout", str(_TEST_S), *tests.names]
        try:
            return self._status(arguments, tests.seconds + _SPARE_S, environ) == pytest.ExitCode.OK
        finally:
            changed.write_bytes(source)
            os.utime(changed, ns=(times.st_atime_ns, times.st_mtime_ns))

    def _status(self, arguments: list[str], seconds: float, environ: dict[str, str]) -> int | None:
        """Run pytest; None if it took too long."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
        environ = {**os.environ, "PYTHONPATH": str(self._copy), **environ}
        with subprocess.Popen(
            command,
            cwd=self._copy,
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as running:
            try:
                return running.wait(seconds)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)


def tests_of(room: str) -> list[str]:
    """Return the tests that are recorded for a room: its own, and those named like one of its files.

    Args:
        room: a folder below `scoopi/`, or one file there.
    """
    place = ROOT / "scoopi" / room
    own = ROOT / "tests" / Path(room).parts[0]
    files = place.rglob("*.py") if place.is_dir() else [place]
    names = {f"test_{file.name}" for file in files}
    found = [test for test in sorted((ROOT / "tests").rglob("test_*.py")) if test.name in names]
    return [
        str(test.relative_to(ROOT)) for test in [own, *(each for each in found if own not in each.parents)]
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("--room", default="store", help="folder below scoopi/, or one file; default: store")
    parser.add_argument("--sample", type=int, default=30, help="number of mutants; default: 30")
    parser.add_argument("--seed", type=int, default=1, help="chooses them; default: 1")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first ones; default: 0")
    parser.add_argument(
        "--line", type=int, help="all mutants of this line of the file --room, instead of a sample"
    )
    parser.add_argument("--seconds", type=float, default=3600, help="begin none after that; default: 3600")
    parser.add_argument(
        "--tests", nargs="+", help="what to record; default: tests of the room and of its files"
    )
    parser.add_argument(
        "--recorded", type=Path, help="folder that keeps the recorded lines for further calls"
    )
    return parser.parse_args()


def _recorded(bench: _Bench, options: argparse.Namespace, folder: Path) -> RecordedLines:
    folder = (options.recorded or folder).absolute()
    if not list(folder.glob("*.json")):
        bench.record(options.tests or tests_of(options.room), folder)
    return RecordedLines(folder)


def _chosen(options: argparse.Namespace) -> list[Mutant]:
    place = ROOT / "scoopi" / options.room
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    found = [mutant for file in files for mutant in mutants_of(file.relative_to(ROOT), ROOT)]
    if options.line is not None:
        return [mutant for mutant in found if mutant.line == options.line]
    random.Random(options.seed).shuffle(found)
    return found[: options.sample][options.skip :]


if __name__ == "__main__":
    sys.exit(main())
