"""Serving: `scoopi serve` and the other verbs as processes, in a folder with a project."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scoopi.cli.main import main
from scoopi.cli.terminal import Terminal

SOON_S = 60.0
SCOOPI = [sys.executable, "-m", "scoopi"]
LIVENESS = "settings: {every: 1s, liveness: {beat: 1s, gap: 2}}\n"


class Serving:
    """A project and its state below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = dict(os.environ)
        (folder / "jobs").mkdir()

    def write(self, name: str, text: str) -> None:
        """Write a file of the project."""
        path = self.folder / "jobs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def deploy(self, processes: str) -> None:
        """Deploy processes, given as the text below `processes:`, with a short heartbeat."""
        body = textwrap.indent(textwrap.dedent(processes), "  ")
        self.write("jobs.yml", f"{LIVENESS}processes:\n{body}")
        self.run("deploy", "jobs")

    def run(self, *words: str, code: int = 0) -> str:
        """What a verb prints to standard output."""
        return self._ended(words, code)[0]

    def errors(self, *words: str, code: int = 0) -> str:
        """What a verb prints to standard error."""
        return self._ended(words, code)[1]

    def _ended(self, words: tuple[str, ...], code: int) -> tuple[str, str]:
        """What a verb prints, to both streams.

        It runs in this process: arguments, exit code and messages are the real ones, and starting a process
        takes longer than all else. Only `serve`, which changes its process, gets one of its own.
        """
        if words[0] == "serve":
            ended = self._process_ended(words)
        else:
            out, err = io.StringIO(), io.StringIO()
            with patch.dict(os.environ, self.environ, clear=True), chdir(self.folder):
                ended = main(words, Terminal(out, err)), out.getvalue(), err.getvalue()
        assert ended[0] == code, ended[2]
        return ended[1:]

    def _process_ended(self, words: tuple[str, ...]) -> tuple[int, str, str]:
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as log:
            done = subprocess.run(
                [*SCOOPI, *words],
                cwd=self.folder,
                env=self.environ,
                stdout=output,
                stderr=log,
                timeout=SOON_S,
                check=False,
            )
            output.seek(0)
            log.seek(0)
            return done.returncode, output.read(), log.read()

    def rows(self, *words: str) -> list[dict[str, Any]]:
        """The rows that a verb prints."""
        return [json.loads(line) for line in self.run(*words, "--json").splitlines()]

    def until_idle(self, *words: str, code: int = 0) -> None:
        """Serve until nothing is left to do."""
        self.run("serve", "--until-idle", *words, code=code)

    @contextmanager
    def served(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """A `serve` beside the test; killed at the end if it has not ended.

        Its log is a file: a pipe that nobody reads would stop it when full, and one that a leftover process
        holds would never end.
        """
        with (self.folder / "serve.log").open("ab") as log:
            process = subprocess.Popen(
                [*SCOOPI, "serve", *words], cwd=self.folder, env=self.environ, stderr=log, text=True
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait(SOON_S)

    def attempt(self, name: str) -> dict[str, Any]:
        """The row of an attempt."""
        return self.rows("attempt", "show", name)[0]

    def job(self, name: str) -> str:
        """The state of a job."""
        return next(str(row["state"]) for row in self.rows("job", "list") if row["job"] == name)

    def read(self, name: str) -> str:
        """A file below the folder; empty if it is not there."""
        path = self.folder / name
        return path.read_text() if path.exists() else ""


def until(is_so: Callable[[], object], most_s: float = SOON_S) -> None:
    """Wait until something is so."""
    ends, looked = time.monotonic() + most_s, time.monotonic()
    while not is_so():
        now = time.monotonic()
        assert now < ends, "it did not come to pass"
        time.sleep(max(0.05, now - looked))  # at most half of the time, as others wait for the processor
        looked = time.monotonic()


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
