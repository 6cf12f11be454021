"""BackgroundProcess: a process of a `serve` for one short task, with a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any

_TAIL_BYTES = 2000


class BackgroundProcess:
    """A process for one short task; at its time limit it is killed with all that it started.

    The process reads its request as JSON from standard input: what it is given, `parent` (this process), and
    `answer`, the descriptor that it may write an answer to.

    Args:
        module: the program, as of `python -m`.
        request: what the process reads; values that JSON can hold.
        environ: the environment of the process.
        limit_s: the longest time, in seconds, that it may take.
    Raises:
        OSError: no process can be started.
    """

    def __init__(self, module: str, request: Mapping[str, Any], environ: Mapping[str, str], limit_s: float):
        self._limit_s = limit_s
        self._ends = time.monotonic() + limit_s
        self._is_late = False
        self._answer, answer_end = os.pipe()
        os.set_blocking(self._answer, False)
        self._answered = b""
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  closed by `close`
        try:
            self._process = subprocess.Popen(  # noqa: S603  a program of Scoopi
                [sys.executable, "-m", module],
                stdin=subprocess.PIPE,
                stdout=self._output,
                stderr=self._output,
                env={**environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
                pass_fds=(answer_end,),
                start_new_session=True,
            )
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError), self._process.stdin as stdin:
                stdin.write(json.dumps({**request, "parent": os.getpid(), "answer": answer_end}).encode())
        except BaseException:
            os.close(self._answer)
            self._output.close()
            raise
        finally:
            os.close(answer_end)

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when the process answers or ends."""
        return self._answer

    def is_over(self) -> bool:
        """Whether the process has ended; it is killed here once its time limit is over.

        What it has started and left behind is killed with it.
        """
        if self._process.returncode is None:
            has_ended = self._has_ended()
            self._is_late = not has_ended and time.monotonic() >= self._ends
            if has_ended or self._is_late:
                self._kill()
        self._read()  # a process whose answer does not fit into the pipe ends only when it is read
        return self._process.returncode is not None

    def answer(self) -> bytes:
        """Return what the process has written to `answer`; complete once it has ended."""
        self._read()
        return self._answered

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._answer, 65_536):
                self._answered += part

    def failure(self) -> str:
        """Return why the process, which has ended, has failed, as `exit code 2: LAST LINE`; empty for code 0.

        For the exit code 1, that of an exception, this is only the last line that was printed, which names
        the exception.
        """
        code = self._process.returncode
        if self._is_late:
            return f"took longer than {self._limit_s:g} s"
        if code == 0:
            return ""
        how, line = f"exit code {code}" if code > 0 else f"killed by signal {-code}", self._last_line()
        if not line:
            return how
        return line if code == 1 else f"{how}: {line}"

    def close(self) -> None:
        """Kill the process and all that it started, unless they have ended."""
        self._kill()
        os.close(self._answer)
        self._output.close()

    def _last_line(self) -> str:
        self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, self._output.tell() - _TAIL_BYTES))
        lines = self._output.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def _has_ended(self) -> bool:
        """Whether the process has ended; unlike `poll`, this does not free its id."""
        try:
            ended = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # this process was started with SIGCHLD ignored
            return True
        return ended is not None

    def _kill(self) -> None:
        """Kill the process and its group, then wait for it; until then no other process gets its id."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
