"""Mutation testing: changes a sample of a room's code in small ways; each change should fail a test.

python -m tests.mutation --room store --sample 30 --seed 1
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutation.mutants import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
_LIMIT_S = 120
"""How long the tests of one mutant may take."""
_MOST_FILES = 8
_SKIPPED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "output", "scheduler.d")


def main() -> int:
    """Run the command; returns 1 if a mutant survived."""
    options = _options()
    chosen = _chosen(options.room, options.sample, options.seed)[options.skip :]
    until = time.monotonic() + options.seconds
    survivors = tried = 0
    with tempfile.TemporaryDirectory(prefix="scoopi-mutation-") as name:
        bench = _Bench(Path(name) / "tree", options.room)
        for mutant in chosen:
            if time.monotonic() > until:
                print(f"out of time; continue with --skip {options.skip + tried}")
                break
            survives = bench.survives(mutant)
            tried, survivors = tried + 1, survivors + survives
            print("SURVIVED" if survives else "killed  ", mutant, flush=True)
    print(f"{options.room}, seed {options.seed}: {tried - survivors} of {tried} killed")
    return 1 if survivors else 0


class _Bench:
    """A copy of the checkout, in which one file after another is changed and tested."""

    def __init__(self, copy: Path, room: str) -> None:
        shutil.copytree(ROOT, copy, ignore=_SKIPPED, symlinks=True)
        self._copy, self._room = copy, room
        self._tests: dict[Path, list[str]] = {}

    def survives(self, mutant: Mutant) -> bool:
        """Whether all tests pass with the mutant. Tests that take too long have failed, as in CI."""
        tests = self._tests_of(mutant.file)
        changed = self._copy / mutant.file
        source = changed.read_bytes()
        changed.write_bytes(mutant.applied(source))
        try:
            return self._passes(tests)
        finally:
            changed.write_bytes(source)

    def _tests_of(self, file: Path) -> list[str]:
        """The tests of a file. They must pass without a mutant, or each would seem to be killed."""
        if file not in self._tests:
            self._tests[file] = tests_of(file, self._room)
            if not self._passes(self._tests[file]):
                sys.exit(f"the tests of {file} fail, or take more than {_LIMIT_S} s: {self._tests[file]}")
        return self._tests[file]

    def _passes(self, tests: list[str]) -> bool:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        environ = {**os.environ, "PYTHONPATH": str(self._copy)}
        try:
            done = subprocess.run(
                command, cwd=self._copy, env=environ, capture_output=True, timeout=_LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def tests_of(file: Path, room: str) -> list[str]:
    """Return the tests of a file: those of its name, then those that import it, at most eight.

    Args:
        file: relative to the checkout.
        room: the folder below `scoopi/`; its tests come before those of other rooms, and all of them are the
            tests of a file that no test names.
    """
    module = ".".join(file.with_suffix("").parts)
    own, tests = f"test_{file.stem}.py", ROOT / "tests"
    found = [
        test
        for test in sorted(tests.rglob("test_*.py"))
        if test.name == own or f"{module} import" in test.read_text(encoding="utf-8")
    ]
    of_room = tests / Path(room).parts[0]
    found.sort(key=lambda test: (test.name != own, of_room not in test.parents))
    return [str(test.relative_to(ROOT)) for test in found[:_MOST_FILES] or sorted(of_room.glob("test_*.py"))]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("--room", default="store", help="folder below scoopi/, or one file; default: store")
    parser.add_argument("--sample", type=int, default=30, help="number of mutants; default: 30")
    parser.add_argument("--seed", type=int, default=1, help="chooses them; default: 1")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first ones; default: 0")
    parser.add_argument("--seconds", type=float, default=3600, help="begin none after that; default: 3600")
    return parser.parse_args()


def _chosen(room: str, sample: int, seed: int) -> list[Mutant]:
    place = ROOT / "scoopi" / room
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    found = [mutant for file in files for mutant in mutants_of(file.relative_to(ROOT), ROOT)]
    return random.Random(seed).sample(found, min(sample, len(found)))


if __name__ == "__main__":
    sys.exit(main())
