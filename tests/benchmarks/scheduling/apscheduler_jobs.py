"""No-op jobs with APScheduler, kept in SQLite by SQLAlchemy, in a pool of processes that live on.

Arguments: JOBS SLOTS. Prints jobs a second, from the start of the scheduler to the end of the last job, and
milliseconds of processor time per job.
"""

# mypy: ignore-errors
from __future__ import annotations

import os
import sys
import threading
import time
from datetime import datetime

from apscheduler.events import EVENT_JOB_ERROR, EVENT_JOB_EXECUTED, EVENT_JOB_MISSED
from apscheduler.executors.pool import ProcessPoolExecutor
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from family_cost import cpu_s


def noop() -> None:
    """The job."""


def main() -> None:
    """Run them all."""
    jobs, slots = int(sys.argv[1]), int(sys.argv[2])
    ended, done = [], threading.Event()

    def count(event) -> None:
        ended.append(event)
        if len(ended) == jobs:
            done.set()

    scheduler = BackgroundScheduler(
        jobstores={"default": SQLAlchemyJobStore(url="sqlite:///jobs.sqlite")},
        executors={"default": ProcessPoolExecutor(slots)},
        job_defaults={"misfire_grace_time": 3600},
    )
    scheduler.add_listener(count, EVENT_JOB_EXECUTED | EVENT_JOB_ERROR | EVENT_JOB_MISSED)
    scheduler.start(paused=True)
    for number in range(jobs):
        scheduler.add_job(noop, "date", run_date=datetime.now(), id=str(number))
    began, before = time.monotonic(), cpu_s(os.getpid())
    scheduler.resume()
    if not done.wait(3000):
        raise TimeoutError(f"{len(ended)} of {jobs} ended")
    print(jobs / (time.monotonic() - began), (cpu_s(os.getpid()) - before) / jobs * 1000)
    if any(event.code != EVENT_JOB_EXECUTED for event in ended):
        raise RuntimeError("jobs failed")
    scheduler.shutdown()


if __name__ == "__main__":
    main()
