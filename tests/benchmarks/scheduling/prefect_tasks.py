"""No-op jobs with Prefect's background tasks: called in the threads of one process that lives on.

Arguments: JOBS SLOTS. Prints jobs a second, from the first request for a run to the end of the last one, and
milliseconds of processor time per job, of the server, the task worker and this program, which asks for them.
"""

# mypy: ignore-errors
from __future__ import annotations

import sys

from prefect_server import PrefectServer

WORKER = """import sys
from prefect import task
from prefect.task_worker import serve
@task
def noop():
    pass
if __name__ == "__main__":
    serve(noop, limit=int(sys.argv[1]))
"""


def main() -> None:
    """Run them all."""
    jobs, slots = int(sys.argv[1]), sys.argv[2]
    with PrefectServer() as server:
        server.start("jobs.py", WORKER, slots)
        from jobs import noop  # written by the line above

        noop.delay().wait(timeout=600)
        server.measure(jobs, noop.delay, "task_runs", done_before=1)


if __name__ == "__main__":
    main()
