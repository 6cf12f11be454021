"""Sources of iterations are asked in processes of their own, and their windows become jobs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from shutil import rmtree
from typing import NoReturn

import pytest

from scoopi.errors import BusyRecordError
from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.serve.sources.source_client import LEASE, LIMIT_S, SourceClient
from scoopi.serve.state import State
from tests.serve.conftest import NOW
from tests.serve.serving import Serving, until

PROJECT = """
processes:
  p:
    executes: external:x
    trigger: {slots: iterations, source: "python:queue:Files", every: 1m}
    lookback: 2
  q: {executes: external:x, trigger: {slots: iterations, source: "python:queue:Broken", every: 1m}}
"""
QUEUE = """
import time
from pathlib import Path

class Files:
    def current(self, now):
        found = sorted(int(path.stem) for path in Path("{folder}").glob("*.in"))
        print("seen", len(found), now.isoformat())
        return found[-1] if found else None

    def previous(self, number, i):
        return number - 10 * i

class Broken:
    def current(self, now):
        {broken}
"""


class Queue:
    """A project whose source names the number of the last file of a folder."""

    def __init__(self, folder: Path, state: State) -> None:
        self.folder, self.state = folder, state
        self.windows = 0
        self.deploy("raise KeyError('no queue')")

    def deploy(self, broken: str) -> None:
        jobs = self.folder / "jobs"
        jobs.mkdir(exist_ok=True)
        (jobs / "jobs.yml").write_text(PROJECT)
        (jobs / "queue.py").write_text(QUEUE.format(folder=self.folder, broken=broken))
        self.state.deploy(jobs, None, NOW)

    def sources(self, limit_s: float = 30.0) -> SourceClient:
        return SourceClient(
            self.state.store, self.state.current, self.state.project, dict(os.environ), self._count, limit_s
        )

    def _count(self) -> None:
        self.windows += 1

    def record(self, name: str = "p") -> ProcessRecord:
        return self.state.store.processes()[name]

    def ask(self, now: datetime) -> None:
        sources = self.sources()
        sources.ask_all(now)
        sources.close()


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    with State(tmp_path / "scheduler") as state:
        yield Queue(tmp_path, state)


def test_the_current_number_and_those_before_it_are_the_window_of_the_next_pass(queue: Queue) -> None:
    queue.ask(NOW)
    assert (queue.record().window, queue.record().asked) == ((), NOW)
    (queue.folder / "15.in").touch()
    queue.ask(NOW + timedelta(seconds=59))
    assert queue.record().window == (), "before the next look"
    queue.ask(NOW + timedelta(seconds=60))
    assert queue.record().window == (5, 15), "none is below zero"

    queue.state.passes.run(NOW + timedelta(seconds=61))
    jobs = [job.job for job in queue.state.store.active_jobs().values()]
    assert jobs == ["p/#5", "p/#15"]


def test_a_pass_is_needed_only_after_an_answer_with_other_iterations(queue: Queue) -> None:
    queue.ask(NOW)
    assert queue.windows == 0, "there is no file, and the other source fails"
    (queue.folder / "15.in").touch()
    queue.ask(NOW + timedelta(minutes=1))
    assert queue.windows == 1
    queue.ask(NOW + timedelta(minutes=2))
    assert (queue.record().asked, queue.windows) == (NOW + timedelta(minutes=2), 1)


def test_jobs_that_leave_the_window_are_closed(queue: Queue) -> None:
    (queue.folder / "15.in").touch()
    queue.ask(NOW)
    (queue.folder / "35.in").touch()
    queue.ask(NOW + timedelta(minutes=1))
    queue.state.passes.run(NOW + timedelta(minutes=1))
    assert sorted(queue.state.store.active_jobs()) == ["p/#15", "p/#25", "p/#35"]
    (queue.folder / "55.in").touch()
    queue.ask(NOW + timedelta(minutes=2))
    for _ in range(2):
        queue.state.passes.run(NOW + timedelta(minutes=2))
    assert {"p/#45", "p/#55"} <= {*queue.state.store.active_jobs()}


def test_a_source_that_fails_is_reported_and_stops_no_other(queue: Queue) -> None:
    (queue.folder / "15.in").touch()
    queue.ask(NOW)
    assert queue.record("q").source_error == "KeyError: 'no queue'"
    assert queue.record("q").window == ()
    assert queue.record().window == (5, 15)
    queue.deploy("return 7")
    queue.ask(NOW + timedelta(minutes=1))
    assert (queue.record("q").source_error, queue.record("q").window) == ("", (7,))
    queue.deploy("return 'x'")
    queue.ask(NOW + timedelta(minutes=2))
    assert queue.record("q").source_error == "TypeError: current returned str; return a whole number, or None"
    assert queue.record("q").window == (7,), "the last answer stays"


def test_a_source_that_ends_its_process_is_reported(queue: Queue) -> None:
    queue.deploy("raise SystemExit(0)")
    queue.ask(NOW)
    assert queue.record("q").source_error == "it ended the process instead of returning a number"


def test_a_source_that_hangs_is_killed(queue: Queue) -> None:
    queue.deploy("time.sleep(300)")
    sources = queue.sources(limit_s=3.0)
    sources.turn(NOW)
    assert sources.is_asking()
    ends = time.monotonic() + 60
    while sources.is_asking() and time.monotonic() < ends:
        sources.turn(NOW)  # does not wait
        time.sleep(0.02)
    assert queue.record("q").source_error == "took longer than 3 s"
    assert LIMIT_S == 10, "the limit without such an argument"


def test_nobody_else_asks_at_the_same_time_unless_the_first_has_crashed(queue: Queue) -> None:
    first, second = queue.sources(), queue.sources()
    first.turn(NOW)
    second.turn(NOW)
    assert (first.is_asking(), second.is_asking()) == (True, False)
    first.close()
    second.ask_all(NOW + LEASE / 2)
    assert queue.record().asked is None
    second.ask_all(NOW + LEASE + timedelta(seconds=1))
    assert queue.record().asked == NOW


def test_serve_runs_what_a_source_names_as_soon_as_it_names_it(serving: Serving) -> None:
    serving.write(
        "queue.py",
        f"""
        from pathlib import Path

        class Files:
            def current(self, now):
                return max((int(path.stem) for path in Path("{serving.folder}").glob("*.in")), default=None)

            def previous(self, number, i):
                return number - i
        """,
    )
    (serving.folder / "3.in").touch()
    serving.deploy("""
        p:
          executes: {command: ["true"]}
          trigger: {slots: iterations, source: "python:queue:Files", every: 1s}
          lookback: 1
        """)
    with serving.served():
        until(lambda: [row["state"] for row in serving.rows("job", "list")] == ["processed"] * 2)
        (serving.folder / "4.in").touch()
        until(lambda: "p/#4" in [row["job"] for row in serving.rows("job", "list")])


def busy(*of: object) -> NoReturn:
    raise BusyRecordError("it keeps changing")


def test_a_record_that_keeps_changing_holds_up_no_other_source(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.deploy("return 7")
    sources, write = queue.sources(), queue.state.store.write

    def written(old: ProcessRecord, new: ProcessRecord) -> bool:
        return busy() if new.name == "p" else write(old, new)

    with monkeypatch.context() as patched:
        patched.setattr(queue.state.store, "write", written)
        sources.ask_all(NOW)
    assert (queue.record().asked, queue.record("q").window) == (None, (7,))
    sources.ask_all(NOW + timedelta(seconds=1))
    assert queue.record().asked == NOW


def test_an_answer_that_cannot_be_written_now_is_written_later_and_not_asked_for_again(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.deploy(f"return len(open('{queue.folder}/asked', 'a+').write('x') * [0]) + 6")
    sources = queue.sources()

    def answered() -> bool:
        sources.turn(NOW)
        return queue.record("q").asked == NOW

    with monkeypatch.context() as patched:
        patched.setattr(queue.state.store, "update", busy)
        sources.turn(NOW)
        until(lambda: (queue.folder / "asked").exists())
        for _ in range(100):
            assert not answered()
    until(answered)
    sources.close()
    assert queue.record("q").window == (7,)
    assert (queue.folder / "asked").read_text() == "x"


def test_an_error_whose_text_cannot_be_stored_is_noted_nevertheless(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*of: object) -> None:
        raise OSError("no folder \udcff")

    monkeypatch.setattr("scoopi.serve.sources.source_client.BackgroundProcess", broken)
    queue.ask(NOW)
    assert queue.record().source_error == "no folder \\udcff"
    assert queue.record("q").source_error == "no folder \\udcff"


def test_a_source_whose_bundle_is_damaged_is_reported(queue: Queue) -> None:
    name = queue.state.current()[0]
    rmtree(queue.state.folder / "bundles")
    queue.state.store.put_bundle(name, b"damaged", NOW, 2**20)
    queue.ask(NOW)
    expected = f"bundle {name} in the store is damaged; deploy the project again"
    assert queue.record().source_error == expected
