"""Measures the solo store and the cycle of a job.

By hand: `python -m tests.store.measure_store [--records N] [--busy]`

With `--busy` another thread of the process computes all the time, as parents of many workers do.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import JOBS, PAYLOADS, Change, Store, StoreMap
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore

BATCH = 500
HOST = "shop.example:443"


def rate(name: str, records: int, batches: Iterable[Callable[[], object]]) -> None:
    """Carry out the batches and say how many records a second that was."""
    began = time.perf_counter()
    for batch in batches:
        batch()
    print(f"{name:30} {records / (time.perf_counter() - began):12,.0f} a second")


def measure_records(store: Store, store_map: StoreMap, keys: list[str]) -> None:
    """Batches of 500 records of 400 bytes."""
    first, second = (b'{"state_key":"R/%s","x":"%s"}' % (HOST.encode(), fill * 360) for fill in (b"a", b"b"))
    parts = [keys[start : start + BATCH] for start in range(0, len(keys), BATCH)]
    puts = [[(key, first) for key in part] for part in parts]
    changes = [[Change(key, first, second) for key in part] for part in parts]
    index_value = f"R/{HOST}" if store_map is JOBS else None
    before = ["", *(part[-1] for part in parts)]
    rate(f"{store_map}: put", len(keys), [partial(store.put_if_absent_all, store_map, p) for p in puts])
    rate(f"{store_map}: cas", len(keys), [partial(store.cas_all, store_map, c) for c in changes])
    rate(f"{store_map}: get", len(keys), [partial(store.get_all, store_map, p) for p in parts])
    rate(
        f"{store_map}: scan",
        len(keys),
        [partial(store.scan, store_map, index_value, BATCH, a) for a in sorted(before)[:-1]],
    )
    rate(f"{store_map}: delete", len(keys), [partial(store.delete_all, store_map, p) for p in parts])


def measure_jobs(store: Store, keys: list[str]) -> None:
    """Jobs from their put to their end."""
    jobs = JobStore(store, "0123456789abcdef")
    new = [
        NewJob(key, HOST, JobPayload(Locator("acme", "books", f"https://{HOST}/{key}"), key)) for key in keys
    ]

    def cycle(part: list[NewJob]) -> None:
        jobs.put(part)
        finish()

    def finish() -> None:
        jobs.finished.end([Ending(job.id, job.fence, JobState.DONE) for job in jobs.take(HOST, BATCH)])

    parts = [new[start : start + BATCH] for start in range(0, len(new), BATCH)]
    rate("jobs: put, take, end in turn", len(keys), [partial(cycle, p) for p in parts])
    again = [[job._replace(id=f"{job.id[::-1]}x") for job in part] for part in parts]
    rate("jobs: all put", len(keys), [partial(jobs.put, p) for p in again])
    rate("jobs: then taken and ended", len(keys), [finish] * len(parts))
    assert jobs.nothing_left()


def main(records: int, busy: bool) -> None:
    """Print the figures."""
    stopped = threading.Event()

    def compute() -> None:
        while not stopped.is_set():
            pass

    if busy:
        threading.Thread(target=compute, daemon=True).start()
    keys = [hashlib.blake2b(b"%d" % number, digest_size=16).hexdigest() for number in range(records)]
    with tempfile.TemporaryDirectory() as folder:
        store = SettlingStore(SqliteStore(Path(folder) / "store.db"))
        for name in (JOBS, PAYLOADS):
            measure_records(store, name, keys)
        measure_jobs(store, keys)
        store.close()
    stopped.set()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=5000)
    parser.add_argument("--busy", action="store_true")
    chosen = parser.parse_args()
    main(chosen.records, chosen.busy)
