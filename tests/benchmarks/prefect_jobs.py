"""No-op jobs with Prefect: flow runs of one deployment, each in a process, with a server of its own.

Arguments: JOBS SLOTS. Prints jobs a second, from the first request for a run to the end of the last one, and
milliseconds of processor time per job, of the server, the runner and the runs.
"""

# mypy: ignore-errors
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

home = tempfile.mkdtemp()
os.environ |= {
    "PREFECT_HOME": home,
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_API_URL": "http://127.0.0.1:42042/api",
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_RUNNER_POLL_FREQUENCY": "1",
    "DO_NOT_TRACK": "1",
    # on a busy machine the server answers 503 while another transaction holds its SQLite file
    "PREFECT_CLIENT_MAX_RETRIES": "50",
    "PREFECT_SERVER_DATABASE_TIMEOUT": "120",
}

from family_cost import cpu_s  # noqa: E402
from prefect.client.orchestration import get_client  # noqa: E402
from prefect.deployments import run_deployment  # noqa: E402

FLOW = "from prefect import flow\n@flow(log_prints=False)\ndef noop():\n    pass\n"
RUNNER = "import sys; from jobs import noop; noop.serve(name='n', limit=int(sys.argv[1]))"


def main() -> None:
    """Run them all."""
    jobs, slots = int(sys.argv[1]), sys.argv[2]
    Path("jobs.py").write_text(FLOW)
    program = Path(sys.prefix) / "bin/prefect"
    words = [str(program), "server", "start", "--port", "42042", "--no-ui"]
    with open("server.log", "w") as log:
        server = subprocess.Popen(words, stdout=log, stderr=log)
        runner = None
        try:
            _wait(_is_up, 600)
            runner = subprocess.Popen([sys.executable, "-c", RUNNER, slots], stdout=log, stderr=log)
            _wait(_is_deployed, 600)
            began, before = time.monotonic(), cpu_s(os.getpid())
            for _ in range(jobs):
                run_deployment("noop/n", timeout=0)
            _wait(lambda: _completed() >= jobs, 6000)
            print(jobs / (time.monotonic() - began), (cpu_s(os.getpid()) - before) / jobs * 1000)
        finally:
            for process in (runner, server):
                if process is not None:
                    process.terminate()
                    process.wait(60)


def _is_up() -> bool:
    with get_client(sync_client=True) as client:
        return client.api_healthcheck() is None


def _is_deployed() -> bool:
    with get_client(sync_client=True) as client:
        return bool(client.read_deployments())


def _completed() -> int:
    with get_client(sync_client=True) as client:
        body = {"flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}}}
        return int(client._client.post("/flow_runs/count", json=body).json())


def _wait(is_so, most_s) -> None:
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


if __name__ == "__main__":
    main()
