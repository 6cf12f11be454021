"""child: starts the process that does the work of an attempt, as a fork of its supervisor."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from scoopi.descendants import die_with_parent
from scoopi.serve.work.call import ANSWERS, call, is_ready

NOT_STARTED = 127
"""The exit code of a program that could not be started."""
NICENESS = 5
"""Added to the niceness of the work, so that the heartbeats of `serve` are in time on a busy machine."""


class Pipes:
    """The pipes from the child to its supervisor: standard output, standard error, a function's results."""

    def __init__(self) -> None:
        self.out, self._out = os.pipe()
        self.err, self._err = os.pipe()
        self.answers, self._answers = os.pipe()

    def take_child_ends(self) -> None:
        """In the child: make the pipes its standard streams; its standard input is empty."""
        nothing = os.open(os.devnull, os.O_RDONLY)
        ends = [os.dup(each) for each in (nothing, self._out, self._err, self._answers)]
        for target, end in enumerate(ends):
            os.dup2(end, target, inheritable=target != ANSWERS)

    def leave_child_ends(self) -> None:
        """In the supervisor: close the child's ends, so that the pipes end with the child."""
        for end in (self._out, self._err, self._answers):
            os.close(end)


def start_child(spec: dict[str, Any], pipes: Pipes) -> int:
    """Fork the process that does the work.

    Args:
        spec: has `argv` of a program, or `call` of a function; `cwd`, and the complete `env`.
    Returns:
        The process id.
    """
    supervisor = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            _become(spec, pipes, supervisor)
        finally:
            os._exit(NOT_STARTED)
    pipes.leave_child_ends()
    return pid


def _become(spec: dict[str, Any], pipes: Pipes, supervisor: int) -> None:
    os.setpgid(0, 0)
    os.nice(NICENESS)
    die_with_parent(supervisor)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pipes.take_child_ends()
    try:
        os.environ.clear()
        os.environ.update(spec["env"])
        os.chdir(spec["cwd"])
        if spec.get("argv"):
            if spec.get("checks") and not _may_begin(spec):
                os._exit(0)
            os.execvpe(spec["argv"][0], spec["argv"], spec["env"])  # noqa: S606  commands have none
        os.closerange(ANSWERS + 1, 256)
        sys.path[:0] = spec["path"]
        os._exit(call(spec))
    except OSError as error:
        os.write(2, f"{error.filename or spec['cwd']}: {error.strerror}\n".encode())
    except ValueError as error:  # a zero byte in a word or a variable
        os.write(2, f"the program cannot be started: {error}\n".encode())


def _may_begin(spec: dict[str, Any]) -> bool:
    """Run the checks before a program; return whether it may start, else the reason was reported."""
    sys.path[:0] = spec["path"]
    is_so = is_ready(spec)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return is_so
