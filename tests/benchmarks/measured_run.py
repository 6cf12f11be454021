"""One measured run of a program over the pages of a workload: time, memory, processor time."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from tests.benchmarks.workloads import Workload, write_definitions
from tests.reliability.process import children_of

ROOT = Path(__file__).resolve().parents[2]
SAMPLE_S = 0.3
"""The kernel takes 2 ms to add up the memory of a process: ten times a second, that was 3 % of two cores for
a program of three processes, and 1 % for one."""
NO_SETTINGS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Figures:
    """One run of one program.

    Attributes:
        seconds: of the whole process, its start included.
        peak_mb: of the process and its children together.
        cpu_s: user and system time of all of them.
        times: seconds by step, where the program reports them.
    """

    seconds: float
    peak_mb: float
    cpu_s: float
    times: dict[str, float] = field(default_factory=dict)


def run_scoopi(
    workload: Workload,
    folder: Path,
    url: str,
    *,
    workers: str = "auto",
    in_flight: int = 32,
    settings: Mapping[str, object] = NO_SETTINGS,
    program: Sequence[str] = ("scoopi",),
) -> tuple[Figures, Path]:
    """Run Scoopi over a workload.

    Args:
        folder: a new one, for definitions and output; the caller removes it.
        url: of the server of its pages.
        in_flight: the most requests at a time.
        settings: further ones; they win.
        program: the module that runs, and its first arguments.
    Returns:
        The figures, and the file of its rows.
    """
    defs = write_definitions(workload, folder / "defs", url)
    options = ["--output", str(folder / "out"), "--quiet", "--workers", workers]
    options += ["-D", "scoopi.loader.fetch.delay=0", "-D", f"scoopi.loader.fetch.parallelism={in_flight}"]
    options += [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
    command = [sys.executable, "-m", *program, "run", str(defs), *options]
    figures = measured(command, {"PYTHONPATH": str(ROOT)})
    (run,) = {path.parent for path in (folder / "out").glob("[!l]*/run.json")}
    times = json.loads((run / "run.json").read_text())["time"]
    return Figures(figures.seconds, figures.peak_mb, figures.cpu_s, times), run / workload.output


def measured(command: list[str], environ: dict[str, str]) -> Figures:
    """Run a command to its good end; another end ends the benchmark.

    Each program keeps its bytecode, as an installed one does: its pages are measured, not its compilation.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, env={**kept, **environ})
    peak = Peak(process.pid)
    code = process.wait()
    seconds = time.monotonic() - started
    peak.stop()
    if code:
        raise SystemExit(f"{' '.join(command)} ended with {code}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Figures(seconds, peak.megabytes, cpu_s)


class Peak:
    """Samples the proportional memory of a process and its children."""

    def __init__(self, pid: int) -> None:
        self.megabytes = 0.0
        self._pid = pid
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take no more samples."""
        self._stopped.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._stopped.wait(SAMPLE_S):
            total = sum(_pss_kb(pid) for pid in [self._pid, *children_of(self._pid)])
            self.megabytes = max(self.megabytes, total / 1024)


def _pss_kb(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


@contextmanager
def served(pages: Path) -> Iterator[str]:
    """The address of a server of these pages, in a process of its own."""
    command = [sys.executable, "-m", "tests.server", "--root", str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()
