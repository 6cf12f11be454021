"""Workspace: a user's folder in which command lines are run, and their traces read."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from scoopi.cli.main import main
from scoopi.cli.terminal import Terminal
from tests.reliability.process import ScoopiProcess, orphans
from tests.server.server import Server

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT_S = 60.0
WITHOUT_POWER = (
    # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH leave the bounding set, so that the exec takes them away.
    "import ctypes, os, sys; libc = ctypes.CDLL(None);"
    "[libc.prctl(24, each, 0, 0, 0) for each in (1, 2)];"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
"""Python that becomes another Python which rights of files bind, also when it is root's (as in CI)."""
WITHOUT_LOCKS = (
    # A seccomp filter: flock answers ENOLCK (37), as on NFS without a lock daemon; all else is allowed.
    "import ctypes, os, platform, struct, sys; libc = ctypes.CDLL(None);"
    "call = {'x86_64': 73, 'aarch64': 32}[platform.machine()];"
    "lines = [(0x20, 0, 0, 0), (0x15, 0, 1, call), (6, 0, 0, 0x50000 | 37), (6, 0, 0, 0x7fff0000)];"
    "text = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in lines));"
    "program = ctypes.create_string_buffer(struct.pack('HP', len(lines), ctypes.addressof(text)));"
    "assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0;"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
"""Python that becomes another Python in which no file can be locked."""
WITH_FEW_FILES = (
    "import os, resource, sys; most = int(sys.argv.pop(1));"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (most, most));"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
"""Python that becomes another Python which may open no more files than its first argument says."""
TEXT_DEFS = """\
locatorGroups:
  page:
    locators:
{locators}
taskGroups:
  page: {{ pageTask: {{ dataDef: text }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""
"""The text of each page; of `locators` in YAML, indented by six blanks."""

QUICK: dict[str, object] = {
    "scoopi.loader.fetch.delay": 0,
    "scoopi.loader.fetch.errorDelay": 0,
    "scoopi.retry.delay": 5,
}
"""With the defaults a page that fails would be given up after 15 to 22 seconds of waiting."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command line ended; `out` and `err` are what it wrote."""

    code: int
    out: str
    err: str


class Workspace:
    """Runs `scoopi …` in its folder, in this process or in one of its own.

    Attributes:
        settings: given to every run as `-D`; at first, that hosts are asked, and asked again, without delay.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.settings = dict(QUICK)

    def scoopi(self, *words: object) -> Ended:
        """Run a command line in this process: arguments, exit code and messages are the real ones."""
        out, err = io.StringIO(), io.StringIO()
        code = main(self._words(words), Terminal(out, err, {}))
        return Ended(code, out.getvalue(), err.getvalue())

    def process(
        self,
        *words: object,
        stdout: int | IO[bytes] = subprocess.PIPE,
        powerless: bool = False,
        most_files: int = 0,
        lockless: bool = False,
    ) -> Ended:
        """Run a command line by `python -m scoopi`.

        Args:
            powerless: without root's power over rights of files; they bind the process like any user's.
            most_files: how many each of its processes may have open; 0 leaves it at that.
            lockless: on volumes that do not support file locks.
        """
        launcher = ["-c", WITHOUT_POWER] if powerless else ["-c", WITHOUT_LOCKS] if lockless else []
        if most_files:
            launcher = ["-c", WITH_FEW_FILES, str(most_files)]
        ended = subprocess.run(
            [sys.executable, *launcher, "-m", "scoopi", *self._words(words)],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            timeout=LIMIT_S,
            check=False,
        )
        return Ended(ended.returncode, (ended.stdout or b"").decode(), ended.stderr.decode())

    def start(self, *words: object) -> ScoopiProcess:
        """Start a command line and return at once; what it says goes to `stderr.txt`."""
        return ScoopiProcess(self._words(words), self.folder)

    def left_behind(self) -> list[int]:
        """Processes that still live in the workspace's folder a second later, this one aside."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if (entry / "cwd").readlink() == self.folder:
                        found.append(int(entry.name))
        return orphans(found)

    def runs(self, output: str = "output") -> list[Path]:
        """The folders of runs."""
        found = (path.parent for path in (self.folder / output).glob("[!.]*/.scoopi"))
        return sorted(path for path in found if not path.is_symlink())

    def run_folder(self, output: str = "output") -> Path:
        """The folder of the one run."""
        runs = self.runs(output)
        assert len(runs) == 1, runs
        return runs[0]

    def run_json(self, output: str = "output") -> dict[str, Any]:
        """What `run.json` says."""
        reported: dict[str, Any] = json.loads((self.run_folder(output) / "run.json").read_bytes())
        return reported

    def rows(self, output: str = "output", file: str = "data.txt") -> Counter[str]:
        """The rows of the run's published file."""
        return Counter((self.run_folder(output) / file).read_text(encoding="utf-8").splitlines())

    def _words(self, words: tuple[object, ...]) -> list[str]:
        verb, *given = (str(word) for word in words)
        settings: list[str] = []
        for key, value in self.settings.items():
            if verb in ("run", "resume", "retry"):
                settings += ["-D", f"{key}={value}"]
        return [verb, *settings, *given]  # of two values of a key the last one counts: the given one


def quick_workspace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace in a new folder, which becomes the current one; hosts are asked without delay."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    workspace = Workspace(folder)
    workspace.settings["scoopi.loader.fetch.hostTimeout"] = 1
    return workspace


def wait_until(
    happened: Callable[[], object], what: str, limit_s: float = LIMIT_S, running: ScoopiProcess | None = None
) -> None:
    """Wait for an event in another process, which has no other way to be heard of here.

    Args:
        running: the process that shall make it happen; its end is the end of waiting.
    """
    end = time.monotonic() + limit_s
    while not happened():
        assert time.monotonic() < end, f"{what} did not happen in {limit_s:.0f} s"
        assert running is None or running.process.poll() is None, f"the process ended before {what}"
        time.sleep(0.005)


def kill_after(requests: int, running: ScoopiProcess, server: Server) -> None:
    """Kill a run, and its workers, once its server has had so many requests."""
    try:
        wait_until(lambda: len(server.log.all()) >= requests, f"request {requests}", running=running)
    finally:
        running.signal(signal.SIGKILL)
        running.wait(LIMIT_S)
        running.kill_all()


def processor_ticks(pid: int) -> int:
    """The processor time that a process has used, in hundredths of a second."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[11])
