"""Measures the cluster's store on real members.

By hand: `python -m tests.cluster.measure_grid [--jobs N] [--members N]`
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import tempfile
import time
from pathlib import Path

from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.hazelcast_store import HazelcastStore
from scoopi.store.cluster.member_process import MemberProcess
from scoopi.store.jobs.job_records import NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.ports import ENDED, JOBS, PAYLOADS
from scoopi.store.settling_store import SettlingStore
from tests.cluster.grids import members, settings_of
from tests.store.measure_store import BATCH, HOST, measure_jobs, measure_records

PAGE = 20_000


def heap_bytes(started: list[MemberProcess]) -> int:
    """What lives in the heaps of all members, after a collection."""
    total = 0
    for member in started:
        command = ["jcmd", str(member.pid), "GC.class_histogram"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        total += int(said.rpartition("Total")[2].split()[1])
    return total


def measure_heap(store: HazelcastStore, keys: list[str], started: list[MemberProcess]) -> None:
    """Seeds the jobs, then remembers as many ends."""
    jobs = JobStore(SettlingStore(store), "0123456789abcdef")
    jobs.put([NewJob("first", HOST, JobPayload(Locator("acme", "books", HOST), "first"))])
    store.count(ENDED)
    empty, began = heap_bytes(started), time.perf_counter()
    for start in range(0, len(keys), BATCH):
        part = keys[start : start + BATCH]
        locators = [Locator("acme", "books", f"https://{HOST}/{key}") for key in part]
        jobs.put([NewJob(key, HOST, JobPayload(at, key)) for key, at in zip(part, locators, strict=True)])
    print(f"{'seeding':30} {time.perf_counter() - began:12.1f} s for {len(keys):,}")
    began = time.perf_counter()
    found = store.scan(JOBS, f"R/{HOST}", BATCH, keys[0])
    found = store.scan(JOBS, f"R/{HOST}", BATCH, found[-1][0])
    print(f"{'two pages of them':30} {(time.perf_counter() - began) * 1000:12.0f} ms")
    full = heap_bytes(started)
    print(f"{'heap per waiting job':30} {(full - empty) / len(keys):12,.0f} bytes")
    for start in range(0, len(keys), BATCH):
        ends = [(key, b'["0123456789abcdef",1,"DONE"]') for key in keys[start : start + BATCH]]
        store.put_if_absent_all(ENDED, ends)
    print(f"{'heap per ended job':30} {(heap_bytes(started) - full) / len(keys):12,.0f} bytes")
    began, after = time.perf_counter(), ""
    while page := store.scan(ENDED, None, PAGE, after):
        after = page[-1][0]
    print(f"{'reading all ends':30} {time.perf_counter() - began:12.1f} s")


def main(records: int, number: int) -> None:
    """Print the figures."""
    keys = [hashlib.blake2b(b"%d" % one, digest_size=16).hexdigest() for one in range(records)]
    with tempfile.TemporaryDirectory() as folder, members(Path(folder), number, heap="1g") as started:
        client = ClusterClient(settings_of(started))
        measure_heap(HazelcastStore(client, "heap"), keys, started)
        grid = HazelcastStore(client, "measured")
        store = SettlingStore(grid)
        for name in (JOBS, PAYLOADS):
            measure_records(store, name, keys)
        measure_jobs(store, keys)
        grid.destroy()
        client.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=20_000)
    parser.add_argument("--members", type=int, default=1)
    chosen = parser.parse_args()
    main(chosen.jobs, chosen.members)
