"""Hammer: disturbs three `serve` on one state; every job ends once, and no process is left over.

By hand: `python -m tests.serve.hammers.hammer [--jobs 200] [--rounds 100] [--jump 30] [--seed N] [--folder
DIR] [--store postgresql]`; it prints the slowest recovery and what that time was spent on, and exits with 1
if a job was lost, ran twice at a time, or could not be explained. Over PostgreSQL or Hazelcast each `serve`
has a state folder of its own, as on machines of their own, and the database, or a member, is killed or
stopped. Among the jobs are scrapes, there on two nodes each, whose rows have to be published once.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from scoopi.errors import StoreError
from scoopi.model.schedule.schedule_records import FINISHED
from scoopi.scheduler.explaining.why import why
from tests.serve.hammers.hammer_scrapes import SCRAPES, HammerScrapes
from tests.serve.hammers.hammer_stores import STORES, HammerStore
from tests.serve.hammers.hammer_watch import HammerWatch
from tests.serve.serving import LIVENESS, SCOOPI, Serving

NODES = 3
JOBS_PER_SCRAPE = 50
"""So that scrapes, which last longer, leave places for the commands."""
KINDS = ("kill", "stop", "clock", "store")
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
Read = TypeVar("Read")
MAY_END = {5: "it could not open its store", 4: "another one took its name while it was lost"}
"""Exit codes with which a `serve` may end by itself, and is started again, as Kubernetes does."""
END_S = 240.0
"""How long no job may end once nothing is disturbed any more."""
MOST_JUMP_S = 30
AWAY_S = 60.0
"""How long the store may not answer the hammer itself after a disturbance."""
WORK = """#!/bin/sh
# Holds a lock of its job while it works, so that another attempt at the same time is noticed.
key=$(printf %s "$1" | tr -c A-Za-z0-9 _)
exec 9>"$HAMMER/locks/$key"
flock -n 9 || echo "overlap $1 $SCOOPI_FENCE 0" >>"$HAMMER/journal"
echo "start $1 $SCOOPI_FENCE $(cut -d' ' -f1 /proc/uptime)" >>"$HAMMER/journal"
part=$(($(printf %s "$1" | cksum | cut -d' ' -f1) % 100))
sleep "$(awk "BEGIN { print $HAMMER_FROM + ($HAMMER_TO - $HAMMER_FROM) * $part / 100 }")"
echo "end $1 $SCOOPI_FENCE $(cut -d' ' -f1 /proc/uptime)" >>"$HAMMER/journal"
"""
PROCESS = """processes:
  work:
    executes: {command: [bin/work, "${ slot.key }"]}
    trigger: {every: 1h, since: "2100-01-01T00:00:00Z"}
    history: 100000
    retry: {max: 5, delay: 1s}
"""


@dataclass
class Result:
    """What a hammer found.

    Attributes:
        faults: what must not happen; empty if all is well.
        slowest: the longest time in seconds from a disturbance to the next start of a job that it
            interrupted, perhaps with further disturbances in between; and what it was spent on.
        calm: the longest such time from the end of the last disturbance.
    """

    jobs: int = 0
    scrapes: int = 0
    rounds: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    slowest: tuple[float, str] = 0.0, ""
    calm: tuple[float, str] = 0.0, ""
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def text(self) -> str:
        """For people."""
        rounds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.rounds.items()))
        lines = [
            f"{self.jobs} jobs, {self.starts} starts, {self.scrapes} scrapes; {self.seconds:.0f} s: {rounds}",
            "slowest recovery {:.1f} s{}".format(*self.slowest),
            "slowest after the last disturbance {:.1f} s{}".format(*self.calm),
            *self.faults,
        ]
        return "\n".join(lines)


SLEEPING = """\
import select, time
time.sleep = lambda seconds: select.select([], [], [], seconds) and None
"""


class Node:
    """One `serve` with a clock of its own."""

    def __init__(self, serving: Serving, number: int, state: Path) -> None:
        self._serving, self._state = serving, state
        self._clock = serving.folder / f"clock{number}"
        self._log = serving.folder / f"serve{number}.log"
        self.set_clock(0)
        self.start()

    def start(self) -> None:
        """Start it; its predecessor has ended."""
        environ = self._serving.environ
        environ = environ | {
            "LD_PRELOAD": str(libfaketime()),
            "FAKETIME_TIMESTAMP_FILE": str(self._clock),
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_NO_CACHE": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, (self._sleeping(), environ.get("PYTHONPATH")))),
        }
        with self._log.open("a") as log:
            words = [*SCOOPI, "serve", "--slots", "4", "--quiet", "--state", str(self._state)]
            folder = self._serving.folder
            self.process = subprocess.Popen(words, cwd=folder, env=environ, stdout=log, stderr=log)

    def _sleeping(self) -> str:
        """A folder of Python's whose `time.sleep` bears a clock that jumps.

        With libfaketime it ends with an error then, as Python gives the end of the sleep, not its length.
        """
        folder = self._serving.folder / "sleeping"
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text(SLEEPING)
        return str(folder)

    def set_clock(self, offset_s: int) -> None:
        """Let the clock jump."""
        new = self._clock.with_suffix(".new")
        new.write_text(f"{offset_s:+}s\n")
        new.rename(self._clock)

    def kill(self) -> None:
        """End it at once."""
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait(30)

    def log(self) -> str:
        """The last lines of its log."""
        return "\n".join(self._log.read_text().splitlines()[-5:])


class Hammer:
    """One test: jobs, nodes and disturbances.

    Args:
        store: with a folder of its own.
        jobs: how many; as many again when they are done before the rounds are.
        rounds: how many disturbances.
        length: the shortest and the longest time of a job in seconds.
        pause_s: between two disturbances.
        chance: draws them.
    Attributes:
        most_jump_s: how far a clock jumps, forward or back.
    """

    most_jump_s = MOST_JUMP_S

    def __init__(
        self,
        store: HammerStore,
        jobs: int,
        rounds: int,
        length: tuple[float, float],
        pause_s: float,
        chance: random.Random,
    ) -> None:
        self._store, self._folder = store, store.folder
        self._jobs, self._rounds, self._pause_s = jobs, rounds, pause_s
        self._chance = chance
        self._disturbed: list[tuple[float, float, str]] = []
        self._result = Result()
        folder = self._folder
        self._serving = Serving(folder)
        (folder / "locks").mkdir()
        (folder / "journal").touch()
        self._serving.environ |= store.environ | {
            "HAMMER": str(folder),
            "HAMMER_FROM": str(length[0]),
            "HAMMER_TO": str(length[1]),
        }
        self._serving.write("bin/work", WORK)
        (folder / "jobs/bin/work").chmod(0o755)
        self._scrapes = HammerScrapes(self._serving, nodes=2 if store.is_shared else 1)
        self._serving.write("jobs.yml", LIVENESS + PROCESS + self._scrapes.process)
        self._nodes: list[Node] = []

    def run(self) -> Result:
        """Disturb, wait for the end, and look at what is left."""
        with self._scrapes.site():
            self._serving.run("deploy", "jobs")
            self._state = self._store.state()
            with HammerWatch(self._store.state, uptime) as self._watch:
                return self._run()

    def _run(self) -> Result:
        began = time.monotonic()
        try:
            self._more_jobs()
            self._nodes = [Node(self._serving, n, self._state_of(n)) for n in range(NODES)]
            for number in range(self._rounds):
                if not self._unfinished():
                    self._more_jobs()
                self._restart_ended()
                self._disturb(KINDS[number % len(KINDS)], self._chance.choice(self._nodes))
                self._check_why()
                time.sleep(self._pause_s)
            self._wait_for_the_end()
        finally:
            self._stop()
        self._result.seconds = time.monotonic() - began
        self._check_records()
        self._check_journal()
        self._state.store.close()
        return self._result

    def _state_of(self, number: int) -> Path:
        """The state folder of a node."""
        return self._folder / (f"node{number}" if self._store.is_shared else "scheduler")

    def _more_jobs(self) -> None:
        scrapes = self._jobs // JOBS_PER_SCRAPE
        self._backfill(SCRAPES, self._result.scrapes, scrapes)  # first, so that they run beside the others
        self._backfill("work", self._result.jobs, self._jobs)
        self._result.jobs += self._jobs
        self._result.scrapes += scrapes

    def _backfill(self, process: str, before: int, number: int) -> None:
        if not number:
            return
        first = FIRST + timedelta(hours=before)
        last = first + timedelta(hours=number - 1)
        ends = ("--from", first.isoformat(), "--to", last.isoformat())
        self._serving.run("process", "backfill", process, *ends, "--overlap", "allow")

    def _disturb(self, kind: str, node: Node) -> None:
        self._result.rounds[kind] += 1
        began = uptime()
        if kind == "kill":
            node.kill()
            time.sleep(self._chance.random() * self._pause_s)
            node.start()
        elif kind == "stop":
            node.process.send_signal(signal.SIGSTOP)
            time.sleep(1 + 4 * self._chance.random() * min(self._pause_s, 1))
            node.process.send_signal(signal.SIGCONT)
        elif kind == "clock":
            node.set_clock(self._chance.randint(-self.most_jump_s, self.most_jump_s))
        else:
            self._store.disturb(self._chance, self._pause_s)
        self._disturbed.append((began, uptime(), kind))

    def _unfinished(self) -> list[str]:
        return sorted(self._asked(self._state.store.active_jobs))

    def _asked(self, read: Callable[[], Read]) -> Read:
        """What the store answers; it may need a moment after it was disturbed."""
        ends = time.monotonic() + AWAY_S
        while True:
            try:
                return read()
            except StoreError:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.2)

    def _check_why(self) -> None:
        snapshot = self._asked(lambda: self._state.passes.snapshot(datetime.now(UTC)))
        for job in snapshot.active:
            row = why(job, snapshot)
            if row["answer"] not in ("wait", "skip", "fail", "runs") or not row["reason"]:
                self._fault(f"{job.job} cannot be explained: {row}")
            elif "unknown" in row["reason"]:
                self._fault(f"{job.job}: {row['reason']}")

    def _wait_for_the_end(self) -> None:
        for node in self._nodes:
            node.set_clock(0)
        ends, before = time.monotonic() + END_S, 0
        while left := self._unfinished():
            if len(left) != before:
                ends, before = time.monotonic() + END_S, len(left)
            self._restart_ended()
            if time.monotonic() > ends:
                self._fault(f"not ended: {left[:5]}")
                return
            self._check_why()
            time.sleep(0.2)

    def _restart_ended(self) -> None:
        """Start nodes again that have ended by themselves."""
        for node in self._nodes:
            code = node.process.poll()
            if code is not None:
                if code not in MAY_END:
                    self._fault(f"a serve ended with {code}: {node.log()}")
                node.start()

    def _stop(self) -> None:
        for node in self._nodes:
            node.process.send_signal(signal.SIGCONT)
            node.process.terminate()
        for node in self._nodes:
            try:
                node.process.wait(60)
            except subprocess.TimeoutExpired:
                self._fault(f"a serve did not end after SIGTERM: {node.log()}")
                node.kill()
        ends = time.monotonic() + 10
        while (left := processes_with(f"HAMMER={self._folder}")) and time.monotonic() < ends:
            time.sleep(0.1)
        for pid, command in left:
            self._fault(f"process {pid} is left over: {command}")
            os.kill(pid, signal.SIGKILL)

    def _check_records(self) -> None:
        ids = [*_ids("work", self._result.jobs), *_ids(SCRAPES, self._result.scrapes)]
        jobs = self._state.store.jobs(ids)
        for name in ids:
            state = jobs[name].state if name in jobs else "lost"
            attempts = self._state.store.attempts_of(name)
            statuses = Counter(each.status for each in attempts)
            if state != "processed" or statuses["succeeded"] != 1 or state not in FINISHED:
                why_not = "; ".join(each.explanation for each in attempts)
                self._fault(f"{name} is {state}: {dict(statuses)}: {why_not}")
            elif name.startswith(f"{SCRAPES}/"):
                (outputs,) = (each.outputs for each in attempts if each.status == "succeeded")
                if fault := self._scrapes.fault(outputs):
                    self._fault(f"{name}: {fault}")

    def _check_journal(self) -> None:
        started: dict[str, float] = {}
        ended: set[str] = set()
        for line in (self._folder / "journal").read_text().splitlines():
            what, job, fence, at = line.split()
            if what == "overlap":
                self._fault(f"{job} ran twice at a time (fence {fence})")
            elif what == "end":
                ended.add(job)
                started.pop(job, None)
            else:
                self._result.starts += 1
                if job in started:
                    self._recovered(job, started[job], float(at))
                started[job] = float(at)
        if len(ended) != self._result.jobs:
            self._fault(f"{len(ended)} of {self._result.jobs} jobs have worked to the end")

    def _recovered(self, slot: str, before: float, at: float) -> None:
        """A job was started again, after the disturbances since its start before."""
        after = [each for each in self._disturbed if before <= each[0] < at]
        if after:
            kinds, result = ", ".join(kind for _, _, kind in after), self._result
            result.slowest = max(result.slowest, self._spent(slot, after[0][0], at, kinds))
            result.calm = max(result.calm, self._spent(slot, min(at, after[-1][1]), at, kinds))

    def _spent(self, slot: str, since: float, at: float, kinds: str) -> tuple[float, str]:
        return at - since, f" of {slot} after {kinds}: {self._watch.spent(f'work/{slot}', since, at)}"

    def _fault(self, what: str) -> None:
        if what not in self._result.faults:
            self._result.faults.append(what)


def _ids(process: str, number: int) -> list[str]:
    """The ids of the first jobs of a process."""
    return [f"{process}/@{FIRST + timedelta(hours=n):%Y-%m-%dT%H:00:00Z}" for n in range(number)]


def uptime() -> float:
    """The clock of the journal, in seconds."""
    return float(Path("/proc/uptime").read_text().split()[0])


def processes_with(variable: str) -> list[tuple[int, str]]:
    """Processes whose environment has a variable, with their commands; zombies have none."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
            if variable.encode() in variables:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found.append((int(entry.name), command))
        except OSError:
            continue
    return found


def libfaketime() -> Path:
    """The library that gives a process another clock; `tests/setup` installs it.

    Raises:
        FileNotFoundError: it is not installed.
    """
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        raise FileNotFoundError("libfaketime is missing: bash tests/setup installs it")
    return found[0]


def main() -> int:
    """Run the long form."""
    parser = argparse.ArgumentParser(prog="python -m tests.serve.hammers.hammer", description=__doc__)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--jump", type=int, default=MOST_JUMP_S, help="longest jump of a clock in seconds")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--store", choices=tuple(STORES), default="sqlite", help="what keeps the records")
    parser.add_argument("--folder", type=Path, help="default: a temporary one, removed at the end")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with STORES[options.store](folder) as store:
            chance = random.Random(options.seed)
            hammer = Hammer(store, options.jobs, options.rounds, (1.0, 3.0), 1.5, chance)
            hammer.most_jump_s = options.jump
            result = hammer.run()
    print(result.text())
    print(f"load {' '.join(f'{load:.1f}' for load in os.getloadavg())}")
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
