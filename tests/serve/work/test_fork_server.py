"""A fork server starts supervisors; its death ends none of them, and theirs leaves nothing behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from scoopi.serve.work.fork_server import ForkServer
from tests.serve.serving import is_alive, until
from tests.serve.work.specs.supervising import Started, ended, shell


def test_a_fork_server_that_was_killed_is_started_again(started: Started, fork_server: ForkServer) -> None:
    assert ended(started(**shell("true"))) == {"code": 0}
    assert fork_server.pid is not None
    os.kill(fork_server.pid, signal.SIGKILL)
    os.waitid(os.P_PID, fork_server.pid, os.WEXITED | os.WNOWAIT)
    assert ended(started(**shell("true"))) == {"code": 0}


def test_work_goes_on_if_the_fork_server_is_killed(started: Started, fork_server: ForkServer) -> None:
    running = started(**shell("touch begun; while ! test -e go; do sleep 0.01; done"))
    until((Path(running.spec["folder"]) / "begun").exists)
    assert fork_server.pid is not None
    os.kill(fork_server.pid, signal.SIGKILL)
    os.waitid(os.P_PID, fork_server.pid, os.WEXITED | os.WNOWAIT)  # a request that it can't read is lost
    (Path(running.spec["folder"]) / "go").touch()
    assert ended(running) == {"code": 0}


def test_nothing_is_left_of_a_supervisor_that_is_killed(started: Started, tmp_path: Path) -> None:
    running = started(
        **shell("echo $PPID > supervisor; setsid sh -c 'echo $$ > pid; sleep 300' & wait"),
    )
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    os.kill(int((tmp_path / "supervisor").read_text()), signal.SIGKILL)
    assert ended(running) == {"fault": "its supervisor was killed"}
    until(lambda: not is_alive(int((tmp_path / "pid").read_text())))
