"""MemberProcess: one Hazelcast member as a Java process that ends with its starter."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

from scoopi.errors import ClusterError
from scoopi.store.cluster.member_config import MemberConfig, find_jar, find_java

MAIN = "com.hazelcast.core.server.HazelcastMemberStarter"
_STARTED = re.compile(r"\[(?P<host>[0-9A-Fa-f:.]+)\]:(?P<port>[0-9]+) is STARTED")
_KEPT_LINES = 40
CLOSE_S = 30.0
"""How long a member may take to hand over its data before it is killed, in seconds."""
_POLL_S = 0.05
"""How often the file of a log is read, in seconds."""
_PR_SET_PDEATHSIG = 1
_ACCESS = (
    "--add-modules=java.se",
    "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.management/sun.management=ALL-UNNAMED",
    "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED",
)
"""Without this access Hazelcast warns at each start."""


class MemberProcess:
    """One Hazelcast member as a Java process that ends with its starter.

    A context manager: the constructor starts the member, and leaving the block ends it. The kernel kills the
    member when the thread that started it ends for any reason.

    Unless `log` is a file, the caller must read the member's log (`wait_ready`, then `follow`), or the
    process blocks once the pipe is full.

    Args:
        config: the member's configuration.
        environ: environment in which Java and the jar are searched.
        log: a file for the member's log; None to read the log through a pipe.

    Attributes:
        address: `HOST:PORT` of the member; empty until `wait_ready` has returned.
    Raises:
        ClusterError: Java or the jar is missing, or Java cannot be started.
    """

    def __init__(self, config: MemberConfig, environ: Mapping[str, str], log: Path | None = None) -> None:
        java, jar = find_java(environ), find_jar(environ)
        self._log = log
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._read = 0
        self._folder = tempfile.TemporaryDirectory(prefix="scoopi-member-")
        file = config.file
        if file is None:
            file = Path(self._folder.name) / "hazelcast.yaml"
            file.write_text(config.text(), encoding="utf-8")
        command = [str(java), *_ACCESS, *config.options(file.absolute()), "-cp", str(jar), MAIN]
        try:
            self._process = self._started(command, environ)
        except OSError as fault:
            self._folder.cleanup()
            raise ClusterError(f"Java cannot be started: {fault}", at=str(java)) from None
        self.address = ""

    def _started(self, command: list[str], environ: Mapping[str, str]) -> subprocess.Popen[str]:
        output = subprocess.PIPE if self._log is None else self._log.open("w", encoding="utf-8")
        try:
            return subprocess.Popen(  # noqa: S603
                command,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
                preexec_fn=_dies_with_starter(),
            )
        finally:
            if not isinstance(output, int):
                output.close()

    def __enter__(self) -> MemberProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The id of the Java process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def wait_ready(self, on_line: Callable[[str], object] = len) -> str:
        """Read the log until the member reports that it is ready.

        Args:
            on_line: called with each line of the log.
        Returns:
            The member's address, `HOST:PORT`.
        Raises:
            ClusterError: the member ended instead; the message has the last error in its log.
        """
        for line in self._log_lines():
            on_line(line)
            if (match := _STARTED.search(line)) is not None:
                host = f"[{match['host']}]" if ":" in match["host"] else match["host"]
                self.address = f"{host}:{match['port']}"
                return self.address
        raise ClusterError(f"the member did not start: {self._last_words()}", hint=self._hint())

    def follow(self, on_line: Callable[[str], object] = len) -> int:
        """Read the log until the member ends.

        Args:
            on_line: called with each line of the log.
        Returns:
            The exit code of Java; negative if a signal ended it.
        """
        for line in self._log_lines():
            on_line(line)
        return self._process.wait()

    def end(self, hard: bool = False) -> None:
        """Ask the member to hand over its data and end; does nothing if it has ended.

        Does not block, so signal handlers may call it.

        Args:
            hard: kill the member instead.
        """
        if hard:
            self._process.kill()
        else:
            self._process.terminate()

    def close(self, timeout_s: float = CLOSE_S) -> None:
        """Shut the member down gracefully; kill it after a timeout in seconds."""
        self.end()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.end(hard=True)
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()

    def _log_lines(self) -> Iterator[str]:
        for line in self._piped() if self._log is None else self._filed():
            self._lines.append(line.rstrip())
            yield line.rstrip()

    def _piped(self) -> Iterator[str]:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():  # a `for` in `yield from` would close it too early
            yield line

    def _filed(self) -> Iterator[str]:
        """Yield the complete lines of the file until the process has ended."""
        assert self._log is not None
        with self._log.open(encoding="utf-8", errors="replace") as file:
            file.seek(self._read)
            while True:
                ended = not self.is_running
                while (line := file.readline()).endswith("\n"):
                    self._read = file.tell()
                    yield line
                if ended:
                    return
                file.seek(self._read)
                time.sleep(_POLL_S)

    def _last_words(self) -> str:
        """The most useful line of the log: the last error, or else the last line."""
        faults = [line for line in self._lines if "xception" in line or "Error" in line or "SEVERE" in line]
        return (faults or list(self._lines) or ["it logged nothing"])[-1].strip()

    def _hint(self) -> str:
        if any("BindException" in line or "is already in use" in line for line in self._lines):
            return "use another --port, or none"
        return "show the whole log with --verbose"


def _dies_with_starter() -> Callable[[], None]:
    """A function for the child to call before it executes Java: the kernel then kills it with its parent.

    The library is loaded before the fork, since the child may only call what is already loaded.
    """
    starter = os.getpid()
    prctl = ctypes.CDLL(None).prctl

    def prepare() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != starter:
            os._exit(1)

    return prepare
