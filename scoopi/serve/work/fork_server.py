"""ForkServer: a process with all modules that supervisors need, which forks a supervisor for each attempt."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys

from scoopi.descendants import adopt_orphans, kill_orphans
from scoopi.serve.work import attempt_supervisor

_MOST_OPEN = 256
"""Descriptors of the fork server are below this."""


class ForkServer:
    """A process with all modules that supervisors need, which forks a supervisor for each attempt.

    It starts with the first supervisor, and again if it was killed.

    It has only the supervisor's ends of pipes, and only until it has forked. So the other ends close when
    `serve` ends, even by SIGKILL, and each supervisor then kills its work.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process; None while it does not run."""
        return self._process.pid if self._process is not None else None

    def start_supervisor(self) -> tuple[int, int]:
        """Start a supervisor, which waits for a spec.

        Returns:
            The descriptor to write commands to, and the one to read messages from.
        Raises:
            OSError: no process can be started.
        """
        commands_end, commands = os.pipe()
        messages, messages_end = os.pipe()
        try:
            self._send([commands_end, messages_end])
        except OSError:
            os.close(commands)
            os.close(messages)
            raise
        finally:
            os.close(commands_end)
            os.close(messages_end)
        return commands, messages

    def close(self) -> None:
        """Have the process end, and wait until it and its supervisors have ended."""
        if self._socket is not None and self._process is not None:
            self._socket.close()
            self._process.wait()
        self._socket = self._process = None

    def _send(self, descriptors: list[int]) -> None:
        if self._socket is not None:
            try:
                socket.send_fds(self._socket, [b"supervisor"], descriptors)
            except (BrokenPipeError, ConnectionResetError):  # it was killed
                self.close()
            else:
                return
        self._start()
        assert self._socket is not None
        socket.send_fds(self._socket, [b"supervisor"], descriptors)

    def _start(self) -> None:
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(  # noqa: S603  the fork server is a part of Scoopi
                [*_command(), str(other.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                start_new_session=True,
            )
        self._socket = own


def _command() -> list[str]:
    """The command that starts a fork server, which imports as this process does."""
    program = (
        f"import sys; sys.path[:] = {[*map(os.path.abspath, sys.path)]!r}\n"
        "from scoopi.serve.work.fork_server import main\nmain(int(sys.argv[1]))"
    )
    return [sys.executable, "-P", "-c", program]


def main(descriptor: int) -> None:
    """Run a fork server until its `serve` and all supervisors have ended.

    Args:
        descriptor: descriptor of the socket on which `serve` requests supervisors.
    """
    adopt_orphans()
    wake_end = attempt_supervisor.wake_on_child()
    gc.freeze()  # a collection in a child would copy the pages of all objects
    supervisors: set[int] = set()
    with socket.socket(fileno=descriptor) as requests, selectors.DefaultSelector() as selector:
        selector.register(wake_end, selectors.EVENT_READ)
        selector.register(requests, selectors.EVENT_READ)
        is_asked = True
        while is_asked or supervisors:
            for key, _ in selector.select():
                if key.fd == wake_end:
                    os.read(wake_end, _MOST_OPEN)
                    _reap(supervisors)
                elif not _serve(requests, supervisors):
                    selector.unregister(requests)
                    is_asked = False


def _serve(requests: socket.socket, supervisors: set[int]) -> bool:
    """Read a request, and fork a supervisor; False if there will be no further request."""
    try:
        request, descriptors, _, _ = socket.recv_fds(requests, 16, 2)
    except ConnectionResetError:
        return False
    if not request:
        return False
    try:
        pid = os.fork()
    except OSError as error:
        fault = {"end": {"fault": f"no process can be started: {error.strerror}"}}
        with contextlib.suppress(OSError):
            os.write(descriptors[1], json.dumps(fault).encode() + b"\n")
        pid = -1
    if pid == 0:
        _become_supervisor(*descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    if pid > 0:
        supervisors.add(pid)
    return True


def _become_supervisor(commands: int, messages: int) -> None:
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        os.dup2(commands, attempt_supervisor.COMMANDS)
        os.dup2(messages, attempt_supervisor.MESSAGES)
        os.closerange(3, _MOST_OPEN)
        attempt_supervisor.main()
        code = 0
    except SystemExit:
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def _reap(supervisors: set[int]) -> None:
    """Remove the supervisors that have ended, and kill the processes that a killed one has left behind."""
    has_orphans = False
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            has_orphans |= pid not in supervisors or status != 0
            supervisors.discard(pid)
    if has_orphans:
        kill_orphans(supervisors)
