"""The PostgreSQL of the tests leaves nothing behind."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

from tests.reliability.process import orphans

STARTER = """
import os
from tests.outputs.postgres_server import PostgresServer
with PostgresServer() as server:
    print(server.folder, *server.pids(), flush=True)
    os.kill(os.getpid(), 9)
"""
END_S = 30.0


def test_it_ends_with_tests_that_are_killed() -> None:
    root = Path(__file__).resolve().parent.parent.parent
    done = subprocess.run([sys.executable, "-c", STARTER], cwd=root, stdout=subprocess.PIPE, check=False)
    folder, *pids = done.stdout.decode().split()
    assert done.returncode == -signal.SIGKILL
    assert len(pids) > 1
    assert orphans([int(pid) for pid in pids], END_S) == []
    shutil.rmtree(folder)
