"""PrefectServer: a server of Prefect for one measurement, with a program that runs its work."""

# mypy: ignore-errors
from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    PORT = free.getsockname()[1]
os.environ |= {
    "PREFECT_HOME": tempfile.mkdtemp(),
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_API_URL": f"http://127.0.0.1:{PORT}/api",
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_RUNNER_POLL_FREQUENCY": "1",
    "DO_NOT_TRACK": "1",
    # on a busy machine the server answers 503 while another transaction holds its SQLite file
    "PREFECT_CLIENT_MAX_RETRIES": "50",
    "PREFECT_SERVER_DATABASE_TIMEOUT": "120",
}

from family_cost import cpu_s
from prefect.client.orchestration import get_client

_START_S = 600
_MOST_S = 6000


class PrefectServer:
    """A server of Prefect, and a program that runs what it schedules. Use it in a `with` block."""

    def __init__(self) -> None:
        sys.path.insert(0, ".")
        self._log = open("server.log", "w")  # noqa: SIM115  closed at the end
        program = Path(sys.prefix) / "bin/prefect"
        self._processes = [self._begun(str(program), "server", "start", "--port", str(PORT), "--no-ui")]

    def __enter__(self) -> PrefectServer:
        wait(_is_up, _START_S)
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            process.terminate()
            process.wait(60)
        self._log.close()

    def start(self, name: str, program: str, slots: str) -> None:
        """Write and start a program that takes SLOTS."""
        Path(name).write_text(program)
        self._processes.append(self._begun(sys.executable, name, slots))

    def measure(self, jobs: int, ask: Callable[[], object], kind: str, done_before: int = 0) -> None:
        """Ask for runs, wait until all are completed, and print the figures.

        Args:
            kind: `flow_runs` or `task_runs`.
        """
        began, before = time.monotonic(), cpu_s(os.getpid())
        for _ in range(jobs):
            ask()
        wait(lambda: _completed(kind) >= jobs + done_before, _MOST_S)
        print(jobs / (time.monotonic() - began), (cpu_s(os.getpid()) - before) / jobs * 1000)

    def _begun(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(words, stdout=self._log, stderr=self._log)


def has_deployment() -> bool:
    """Whether a flow is served."""
    with get_client(sync_client=True) as client:
        return bool(client.read_deployments())


def wait(is_so: Callable[[], bool], most_s: float) -> None:
    """Wait until something is so; errors of the server are tried again."""
    ends = time.monotonic() + most_s
    while True:
        try:
            if is_so():
                return
        except Exception:
            if time.monotonic() > ends:
                raise
        if time.monotonic() > ends:
            raise TimeoutError(is_so)
        time.sleep(0.2)


def _is_up() -> bool:
    with get_client(sync_client=True) as client:
        return client.api_healthcheck() is None


def _completed(kind: str) -> int:
    with get_client(sync_client=True) as client:
        body = {kind: {"state": {"type": {"any_": ["COMPLETED"]}}}}
        return int(client._client.post(f"/{kind}/count", json=body).json())
