"""What grants, robots.txt and retries cost, in processor time for each page of *tables*.

`python -m tests.benchmarks.runs.politeness_cost [--pages 6000] [--repeat 5]`

Runs with a part switched off or on, in turn, over the same pages. A grant cannot be switched off: its cost is
that of a cycle of the host's clock (grant, sent, answered), which is called here as the task runner calls it.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median

from scoopi.model.sites import Site, Sites
from scoopi.politeness.host_rate_limiter import HostRateLimiter
from tests.benchmarks.measured_run import run_scoopi, served
from tests.benchmarks.workloads import tables

OFF: dict[str, object] = {"scoopi.loader.robots": "false", "scoopi.retry.attempts": 1}
VARIANTS: dict[str, dict[str, object]] = {
    "neither": OFF,
    "retries": {"scoopi.loader.robots": "false"},
    "robots.txt": {"scoopi.retry.attempts": 1},
    "both, as by default": {},
}
CYCLES = 20_000


def grant_us(hosts: int = 100) -> float:
    """Microseconds of one cycle of a host's clock."""
    limiter = HostRateLimiter(Sites(Site(delay_ms=0, parallelism=32)), time.monotonic)
    names = [f"h{number}.example:80" for number in range(hosts)]
    began = time.process_time()
    for number in range(CYCLES):
        host, job = names[number % hosts], f"job{number}"
        assert limiter.grant(host, job) is not None
        limiter.sent(host, job, time.monotonic())
        limiter.ended(host, job, heard=True)
    return (time.process_time() - began) / CYCLES * 1e6


def main() -> None:
    """Measure, and print medians."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.runs.politeness_cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pages", type=int, default=6000)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    base = Path(tempfile.mkdtemp(prefix="scoopi-benchmark-"))
    try:
        (base / "pages").mkdir()
        workload = tables(base / "pages", given.pages // 3)
        cpu_us: dict[str, list[float]] = {name: [] for name in VARIANTS}
        with served(base / "pages") as url:
            for turn in range(given.repeat):
                for number, (name, settings) in enumerate(VARIANTS.items()):
                    folder = base / f"{turn}-{number}"
                    figures, _ = run_scoopi(workload, folder, url, settings=settings)
                    cpu_us[name].append(figures.cpu_s / workload.pages * 1e6)
                    shutil.rmtree(folder)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    least = median(cpu_us["neither"])
    for name, values in cpu_us.items():
        print(f"{name}: {median(values):.0f} us a page, {median(values) / least - 1:+.1%}")
    cycle = grant_us()
    print(f"a grant: {cycle:.1f} us, {cycle / least:.1%} of a page")


if __name__ == "__main__":
    main()
