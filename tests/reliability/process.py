"""Scoopi as a process of its own, to be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ORPHAN_S = 1.0
"""How long a worker may outlive its parent (ARCHITECTURE, "Processes and threads")."""


class ScoopiProcess:
    """`python -m scoopi …` with its worker processes."""

    def __init__(self, arguments: list[str], folder: Path) -> None:
        root = Path(__file__).resolve().parent.parent.parent
        environ = {**os.environ, "PYTHONPATH": str(root), "NO_COLOR": "1"}
        self.arguments = arguments
        self._log = (folder / "stderr.txt").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scoopi", *arguments],
            cwd=folder,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def workers(self) -> list[int]:
        """Process ids of its workers that live."""
        return list(children_of(self.process.pid))

    def signal(self, number: signal.Signals) -> None:
        """Send the process itself a signal."""
        if self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self, timeout_s: float) -> int:
        """Its exit code; TimeoutExpired when it does not end in time."""
        try:
            self.process.communicate(timeout=timeout_s)
        finally:
            self._log.close()
        return self.process.returncode

    def kill_all(self) -> None:
        """For the end of a test that went wrong."""
        for pid in [*self.workers(), self.process.pid]:
            kill(pid)
        self.process.wait()
        self._log.close()
        if self.process.stdout is not None:
            self.process.stdout.close()


def children_of(parent: int) -> Iterator[int]:
    """Process ids of the live children of a process."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            fields = _stat(entry)
            if fields and int(fields[1]) == parent and fields[0] != "Z":
                yield int(entry.name)


def alive(pids: list[int]) -> list[int]:
    """Those of the processes that are still there, zombies aside."""
    found = ((pid, _stat(Path(f"/proc/{pid}"))) for pid in pids)
    return [pid for pid, fields in found if fields and fields[0] != "Z"]


def orphans(pids: list[int], within_s: float = ORPHAN_S) -> list[int]:
    """Those that still live after the time that they may outlive their parent."""
    end = time.monotonic() + within_s
    while (left := alive(pids)) and time.monotonic() < end:
        time.sleep(0.02)  # there is no event for the end of another's child
    return left


def kill(pid: int) -> bool:
    """SIGKILL; False when it is gone already."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _stat(entry: Path) -> list[str] | None:
    try:
        return entry.joinpath("stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None
