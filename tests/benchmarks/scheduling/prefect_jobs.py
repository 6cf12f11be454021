"""No-op jobs with Prefect: flow runs of one served deployment, each in a process, with a server of its own.

Arguments: JOBS SLOTS. Prints jobs a second, from the first request for a run to the end of the last one, and
milliseconds of processor time per job, of the server, the runner and the runs.
"""

# mypy: ignore-errors
from __future__ import annotations

import sys

from prefect_server import PrefectServer, has_deployment, wait

FLOW = """import sys
from prefect import flow
@flow(log_prints=False)
def noop():
    pass
if __name__ == "__main__":
    noop.serve(name="n", limit=int(sys.argv[1]))
"""


def main() -> None:
    """Run them all."""
    jobs, slots = int(sys.argv[1]), sys.argv[2]
    with PrefectServer() as server:
        server.start("jobs.py", FLOW, slots)
        wait(has_deployment, 600)
        from prefect.deployments import run_deployment

        server.measure(jobs, lambda: run_deployment("noop/n", timeout=0), "flow_runs")


if __name__ == "__main__":
    main()
