"""ProcessLink: a worker in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.worker.crash_marker import CrashMarker, Note


class ProcessLink(WorkerLink):
    """A worker in a process of its own; its death harms nobody else."""

    def __init__(self, wire: str) -> None:
        child_in, outgoing = os.pipe()
        incoming, child_out = os.pipe()
        super().__init__(incoming, outgoing)
        self._marker = CrashMarker.make()
        kept = (child_in, child_out, self._marker.descriptor)
        numbers = zip(("--incoming", "--outgoing", "--marker"), kept, strict=True)
        command = [sys.executable, "-P", "-m", "scoopi.worker", "--wire", wire, "--parent", str(os.getpid())]
        for option, number in numbers:
            command += [option, str(number)]
        # A group of its own: Ctrl-C of the terminal reaches the parent only.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command, stdin=subprocess.DEVNULL, pass_fds=kept, env=_environment(), process_group=0
        )
        os.close(child_in)
        os.close(child_out)

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._process.pid

    def note(self) -> Note:
        """See `WorkerLink.note`."""
        return self._marker.read()

    def is_paused(self) -> bool:
        """See `WorkerLink.is_paused`."""
        with suppress(OSError):
            state = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2][:1]
            return state in ("T", "t")
        return False

    def has_ended(self) -> bool:
        """See `WorkerLink.has_ended`."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """End the worker with SIGKILL."""
        self._process.kill()

    def reap(self) -> tuple[str, Note]:
        """See `WorkerLink.reap`; waits for the process, which has closed its pipe already."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        note = self._marker.read()
        self._marker.close()
        super().reap()
        return _ending(code), note


def _environment() -> dict[str, str]:
    """The parent's, with the folder that it took the package from, where that is no installed one."""
    root = str(Path(__file__).resolve().parents[2])
    if root in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
        return dict(os.environ)
    former = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{former}" if former else root}


def _ending(code: int) -> str:
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"
