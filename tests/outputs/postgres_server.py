"""A real PostgreSQL, in a folder of its own, that a test may kill."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.reliability.process import children_of

START_S = 30.0
_PR_SET_PDEATHSIG = 1
GUARDED = "guarded"
"""The one user who needs a password."""
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",  # a killed server loses nothing by it, only a machine without power does
    "max_connections": "60",
    "shared_buffers": "32MB",
    "log_min_messages": "warning",
}


def program(name: str) -> str:
    """The path of one of PostgreSQL's programs; Debian keeps them out of PATH."""
    found = shutil.which(name)
    if found is not None:
        return found
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    assert versions, f"{name} is missing: run tests/setup, which installs PostgreSQL"
    return str(versions[-1])


class PostgresServer:
    """Started by `with`; runs as another user when the tests run as root, which PostgreSQL refuses.

    It ends with the thread that started it, so that killed tests leave none behind.

    Attributes:
        folder: its data and its log.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="scoopi-postgres-", dir="/tmp"))
        self._user: dict[str, Any] = {}
        if os.getuid() == 0:
            entry = pwd.getpwnam("postgres" if _has_user("postgres") else "nobody")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self._user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> PostgresServer:
        options = ["-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        self._call([program("initdb"), "-D", str(self.folder / "data"), *options])
        access = self.folder / "data" / "pg_hba.conf"
        access.write_text(f"host all {GUARDED} 127.0.0.1/32 scram-sha-256\n{access.read_text()}")
        with (self.folder / "data" / "postgresql.conf").open("a") as conf:
            conf.writelines(f"{key} = '{value}'\n" for key, value in SETTINGS.items())
            conf.write(f"port = {self.port}\nunix_socket_directories = '{self.folder}'\n")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        """Start it, and wait until it takes connections; after a kill it recovers first."""
        self._start()
        self._await(self._answers)

    def start_up(self) -> None:
        """Start it, but have it stay in the recovery that a start begins with, until `end_recovery`.

        It rejects connections with SQLSTATE 57P03, cannot_connect_now.
        """
        (self.folder / "data" / "standby.signal").touch()
        self._start("-c", "hot_standby=off")
        self._await(self._rejects)

    def end_recovery(self) -> None:
        """Have it accept connections, after `start_up`."""
        command = [program("pg_ctl"), "promote", "-D", str(self.folder / "data")]
        self._await(lambda: self._ended(command).returncode == 0)  # refused until the recovery has begun
        self._await(self._answers)

    def _start(self, *options: str) -> None:
        with (self.folder / "log.txt").open("ab") as log:
            command = [program("postgres"), "-D", str(self.folder / "data"), *options]
            self._process = subprocess.Popen(
                command,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_ends_with_starter(),
                **self._user,
            )

    def _await(self, came: Callable[[], bool]) -> None:
        end = time.monotonic() + START_S
        while not came():
            assert time.monotonic() < end, (self.folder / "log.txt").read_text()
            time.sleep(0.05)  # there is no event for the start of another process

    def kill(self) -> None:
        """SIGKILL to all of its processes, as a crash of the machine's kernel would do it."""
        process, self._process = self._process, None
        if process is not None:
            # SIGQUIT ends its children too, at once and without a checkpoint.
            process.send_signal(signal.SIGQUIT)
            process.wait(START_S)

    def pids(self) -> list[int]:
        """Of the server, and of the processes that it has just now."""
        assert self._process is not None, "it is not running"
        return [self._process.pid, *children_of(self._process.pid)]

    def crash(self, away_s: float) -> None:
        """Kill it, and start it again after `away_s` seconds."""
        self.kill()
        time.sleep(away_s)
        self.start()

    def database(self, name: str) -> str:
        """The URL of a new database."""
        self._psql("postgres", f"CREATE DATABASE {name}")
        return f"postgresql://tester@127.0.0.1:{self.port}/{name}"

    def ensure_guarded(self, password: str) -> None:
        """The user who needs this password, and may create nothing."""
        self._psql("postgres", f"DROP ROLE IF EXISTS {GUARDED}")
        self._psql("postgres", f"CREATE ROLE {GUARDED} LOGIN PASSWORD '{password}'")

    def _psql(self, database: str, sql: str) -> None:
        import psycopg

        url = f"postgresql://tester@127.0.0.1:{self.port}/{database}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(sql.encode())

    def _answers(self) -> bool:
        import psycopg

        try:
            self._psql("postgres", "SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _rejects(self) -> bool:
        from psycopg import pq

        return pq.PGconn.ping(f"host=127.0.0.1 port={self.port}".encode()) == pq.Ping.REJECT

    def _ended(self, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command, cwd=self.folder, capture_output=True, check=False, **self._user)

    def _call(self, command: list[str]) -> None:
        ended = self._ended(command)
        assert ended.returncode == 0, ended.stderr.decode()


def _ends_with_starter() -> Callable[[], None]:
    """A function for the child to call before it executes PostgreSQL.

    Changing the user would undo it; Python calls it afterwards.
    """
    starter, prctl = os.getpid(), ctypes.CDLL(None).prctl

    def prepare() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)  # ends its children, too
        if os.getppid() != starter:
            os._exit(1)

    return prepare


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
