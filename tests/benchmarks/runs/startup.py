"""Start-up: how long `--help`, `check` and the first page of a run take; medians, beside their bars.

By hand: `python -m tests.benchmarks.runs.startup [--repeat 10]`; the exit code is 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.benchmarks.runs.first_page import first_page_ms

EXAMPLES = Path(__file__).resolve().parents[3] / "defs" / "examples"
HELP_MS = 150.0
CHECKS_MS = 1000.0
FIRST_PAGE_MS = 350.0
WORKERS = 2
ALL_CHECKS = "import sys; from scoopi.cli.main import main; print(*map(main, eval(sys.argv[1])))"


def main() -> int:
    """Measure; 0 when all bars are kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.runs.startup", description=__doc__)
    parser.add_argument("--repeat", type=int, default=10)
    repeat = parser.parse_args().repeat
    help_ms = median_ms(lambda: scoopi("--help"), repeat)
    print(f"scoopi --help                 {help_ms:6.0f} ms  (bar {HELP_MS:.0f} ms)")
    largest = max(examples(), key=size)
    one_ms = median_ms(lambda: scoopi(*check_of(largest)), repeat)
    print(f"scoopi check {largest.name:<17}{one_ms:6.0f} ms  (the largest example)")
    all_ms = median_ms(check_all, repeat)
    print(f"{len(examples())} checks in one process     {all_ms:6.0f} ms  (bar {CHECKS_MS:.0f} ms)")
    each_ms = [median_ms(partial(scoopi, *check_of(each)), 3) for each in examples()]
    print(f"{len(examples())} checks, a process each    {sum(each_ms):6.0f} ms")
    first_ms = median_first_page_ms(repeat)
    print(f"first page, {WORKERS} workers         {first_ms:6.0f} ms  (bar {FIRST_PAGE_MS:.0f} ms)")
    return 0 if help_ms < HELP_MS and all_ms < CHECKS_MS and first_ms <= FIRST_PAGE_MS else 1


def median_first_page_ms(repeat: int) -> float:
    """The median of runs with worker processes, from their start to their first request for a page."""
    with tempfile.TemporaryDirectory() as folder:
        return statistics.median(first_page_ms(Path(folder) / str(run), WORKERS) for run in range(repeat))


def examples() -> list[Path]:
    """Their folders."""
    return sorted(folder for folder in EXAMPLES.iterdir() if folder.is_dir())


def size(folder: Path) -> int:
    """Bytes of all that is read by a check."""
    return sum(file.stat().st_size for kind in ("yml", "js", "py") for file in folder.rglob(f"*.{kind}"))


def check_of(folder: Path) -> list[str]:
    """The words after `scoopi` that check an example."""
    conf = folder / "conf" / "scoopi.yml"
    return ["check", str(folder), *(["--conf", str(conf)] if conf.is_file() else [])]


def scoopi(*words: str) -> None:
    """Run the command."""
    _python("-m", "scoopi", *words)


def check_all() -> None:
    """Check every example, one after the other, in one new process."""
    said = _python("-c", ALL_CHECKS, repr([check_of(folder) for folder in examples()]))
    assert said.splitlines()[-1].split() == ["0"] * len(examples()), said


def median_ms(call: Callable[[], object], repeat: int) -> float:
    """The median of its times."""
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def _python(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
