"""The scheduler: a pass, the end of a job to its successor, no-op jobs, an idle `serve`; beside their bars.

By hand: `python -m tests.benchmarks.scheduling [pass successor jobs idle peers]`; the exit code is 1 when a
bar is missed. `peers` runs no-op jobs with Prefect and APScheduler, too, in turn.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from scoopi.model.schedule.schedule_records import JobRecord, ProcessRecord
from scoopi.serve.state import State
from tests.benchmarks.scheduling.family_cost import cpu_s, family
from tests.benchmarks.scheduling.scheduler_peers import PEERS, peer_python
from tests.serve.serving import Serving, until

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SLOTS = 2
PASS_MS, SUCCESSOR_MS, IDLE_CORE, IDLE_MB, TIMES_PREFECT = 1000.0, 200.0, 0.01, 120.0, 5.0
ARGUMENTS = argparse.Namespace()
NOOP = "def noop(): pass\n"
NOOP_PROCESS = "{executes: 'python:actions:noop'"


def main() -> int:
    """Measure; 0 when all bars are kept."""
    parts: dict[str, Callable[[Serving], bool]] = {
        "pass": pass_time,
        "successor": successor_time,
        "jobs": jobs_rate,
        "idle": idle_cost,
        "peers": compare,
    }
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scheduling", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], help="default: all but peers")
    parser.add_argument("--jobs", type=int, default=1_000, help="of `peers` (default: 1000)")
    parser.add_argument("--rounds", type=int, default=1, help="of `peers` (default: 1)")
    parser.parse_args(namespace=ARGUMENTS)
    wanted = ARGUMENTS.parts or ["pass", "successor", "jobs", "idle"]
    kept = True
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            kept &= parts[name](Serving(Path(folder)))
    return 0 if kept else 1


def pass_time(serving: Serving) -> bool:
    """A pass over active jobs that wait, of 1,000 processes, in processor time; and its writes."""
    writes = {}
    for jobs in (5_000, 10_000):
        with tempfile.TemporaryDirectory() as folder:
            times_ms, writes[jobs] = measured_passes(Serving(Path(folder)), 1_000, jobs)
        took, count = statistics.median(times_ms), writes[jobs]
        print(f"pass over {jobs:6} active jobs    {took:7.0f} ms  (bar {PASS_MS:.0f} ms), {count} writes")
    return took < PASS_MS and writes[5_000] == writes[10_000]


def measured_passes(serving: Serving, processes: int, jobs: int) -> tuple[list[float], int]:
    """The times of passes after the first one, and the writes of one of them."""
    _deploy(serving, "".join(_hourly(number) for number in range(processes)))
    with State(serving.folder / "scheduler") as state:
        for number in range(jobs):
            process, slot = f"p{number % processes}", f"!{number // processes + 1}"
            record = JobRecord(
                process=process,
                slot=slot,
                state="embryo",
                phase="active",
                created=NOW,
                changed=NOW,
                due=NOW,
                not_before=NOW + timedelta(days=1 + number % 7),
            )
            assert state.store.write(None, record)
        state.passes.run(NOW)
        times: list[float] = []
        versions = _versions(state)
        for _ in range(5):
            began = time.process_time()
            state.passes.run(NOW)
            times.append((time.process_time() - began) * 1000)
        return times, (_versions(state) - versions) // 5


def _versions(state: State) -> int:
    """A number that grows by one with each write to a record that a pass may write."""
    jobs = sum(job.version for job in state.store.scan(JobRecord))
    processes = sum(process.version for process in state.store.scan(ProcessRecord))
    return jobs + processes + state.store.scheduler().version


def successor_time(serving: Serving) -> bool:
    """From the end of an attempt to the start of the one that it triggers."""
    serving.write("actions.py", NOOP)
    _deploy(
        serving,
        f"  a: {NOOP_PROCESS}}}\n  b: {NOOP_PROCESS}, trigger: {{after: a}}}}\n",
    )
    gaps = []
    with serving.served("--slots", "4"):
        for number in range(1, 16):
            serving.run("launch", "a")
            until(partial(_ended, serving, f"b/!{number}"))
    with State(serving.folder / "scheduler") as state:
        for number in range(1, 16):
            before, after = (state.store.attempts_of(f"{name}/!{number}")[0] for name in "ab")
            assert before.ended is not None
            assert after.started is not None
            gaps.append((after.started - before.ended).total_seconds() * 1000)
    gap = statistics.median(gaps)
    print(f"end of a job to its successor     {gap:7.0f} ms  (bar {SUCCESSOR_MS:.0f} ms)")
    return gap <= SUCCESSOR_MS


def jobs_rate(serving: Serving, jobs: int = 1_000) -> bool:
    """No-op `python:` jobs, each in a process of its own, end to end."""
    rate, cost_ms = scoopi_rate(serving, jobs)
    print(f"{jobs} no-op python jobs          {rate:7.1f} jobs/s, {cost_ms:.1f} ms of processor time each")
    return True


def scoopi_rate(serving: Serving, jobs: int) -> tuple[float, float]:
    """Jobs a second, from the start of `serve` to its end; milliseconds of processor time per job."""
    serving.write("actions.py", NOOP)
    trigger = "{every: 1m, since: '2100-01-01T00:00:00Z'}"
    _deploy(serving, f"  p: {NOOP_PROCESS}, trigger: {trigger}}}\n")
    last = (NOW + timedelta(minutes=jobs - 1)).isoformat()
    ends = ("--from", NOW.isoformat(), "--to", last, "--overlap", "allow")
    serving.run("process", "backfill", "p", *ends)
    began, before = time.monotonic(), cpu_s(os.getpid())
    with serving.served("--slots", str(SLOTS), "--until-idle", "--quiet") as serve:
        assert serve.wait(3600) == 0
    took, cost_s = time.monotonic() - began, cpu_s(os.getpid()) - before
    with State(serving.folder / "scheduler") as state:
        states = [job.state for job in state.store.scan(JobRecord)]
    assert states == ["processed"] * jobs, "jobs are missing"
    return jobs / took, cost_s / jobs * 1000


def idle_cost(serving: Serving) -> bool:
    """What a `serve` with 1,000 processes, of which none is due, takes."""
    _deploy(serving, "".join(_hourly(number) for number in range(1_000)))
    with serving.served("--slots", "4") as serve:
        until(lambda: serving.rows("worker", "list"))
        time.sleep(10)
        before, began = cpu_s(serve.pid), time.monotonic()
        time.sleep(60)
        share = (cpu_s(serve.pid) - before) / (time.monotonic() - began)
        memory = sum(_memory_mb(pid) for pid in family(serve.pid))
    print(f"idle with 1,000 processes         {share:7.1%} of a core (bar {IDLE_CORE:.0%})")
    print(f"                                  {memory:7.0f} MB (bar {IDLE_MB:.0f} MB)")
    return share < IDLE_CORE and memory < IDLE_MB


def compare(serving: Serving) -> bool:
    """Jobs beside peers, in turn: a second, and in processor time, which other load disturbs less.

    Each job is a process, as are flow runs of Prefect; its background tasks and the jobs of APScheduler are
    calls in processes that live on.
    """
    jobs, rounds = ARGUMENTS.jobs, ARGUMENTS.rounds
    rates: dict[str, list[float]] = {"scoopi": [], **{name: [] for name in PEERS}}
    costs: dict[str, list[float]] = {name: [] for name in rates}
    for _ in range(rounds):
        for name in rates:
            with tempfile.TemporaryDirectory() as folder:
                rate, cost = (
                    scoopi_rate(Serving(Path(folder)), jobs)
                    if name == "scoopi"
                    else peer_rate(name, jobs, folder)
                )
            rates[name].append(rate)
            costs[name].append(cost)
            print(f"  {name:<14} {rate:7.2f} jobs/s {cost:8.1f} ms", flush=True)
    for name in rates:
        rate, cost = statistics.median(rates[name]), statistics.median(costs[name])
        print(f"{jobs} no-op jobs, {name:<14} {rate:7.2f} jobs/s, {cost:8.1f} ms of processor time each")
    prefect = max(statistics.median(each) for name, each in rates.items() if name.startswith("prefect"))
    times = statistics.median(rates["scoopi"]) / prefect
    print(f"Scoopi runs {times:.1f} times as many as the faster Prefect (bar {TIMES_PREFECT:.0f})")
    return times >= TIMES_PREFECT


def peer_rate(name: str, jobs: int, folder: str) -> tuple[float, float]:
    """As `scoopi_rate`, of a peer."""
    words = [str(peer_python()), str(PEERS[name]), str(jobs), str(SLOTS)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=7200)
    assert done.returncode == 0, done.stderr[-2000:]
    rate, cost = done.stdout.split()[-2:]
    return float(rate), float(cost)


def _hourly(number: int) -> str:
    return f"  p{number}: {{executes: 'python:actions:noop', trigger: {{cron: '{number % 60} 3 1 1 *'}}}}\n"


def _deploy(serving: Serving, processes: str) -> None:
    serving.write("actions.py", NOOP)
    (serving.folder / "jobs/jobs.yml").write_text(f"processes:\n{processes}")
    serving.run("deploy", "jobs", "--now", NOW.isoformat())


def _ended(serving: Serving, job: str) -> bool:
    with State(serving.folder / "scheduler") as state:
        found = state.store.jobs([job])
    return bool(found) and found[job].state == "processed"


def _memory_mb(pid: int) -> float:
    """Its part of the memory: what it shares with others is divided among them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    sys.exit(main())
