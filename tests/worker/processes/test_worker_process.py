"""`python -m scoopi.worker`: a process that serves its parent, and leaves stdout to the rows."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.worker.__main__ import COLLECTED_AFTER
from scoopi.worker.allocator import KEPT_BYTES
from scoopi.worker.crash_marker import CrashMarker
from scoopi.worker.messages import Assign, Ready, Results, Setup, StartFault, Stop, ToParent, WorkItem
from scoopi.worker.pipe import MessageBuffer, pack

ROOT = Path(__file__).parents[3]
LIMIT_S = 30.0


class Process:
    """A worker process, its pipes, and what it writes to stdout and stderr."""

    def __init__(self, replaces: str = "") -> None:
        incoming, self.to_worker = os.pipe()
        self._from_worker, outgoing = os.pipe()
        marker = CrashMarker.make()
        numbers = (
            "--incoming",
            incoming,
            "--outgoing",
            {"stdout": 1, "stderr": 2}.get(replaces, outgoing),
            "--marker",
            marker.descriptor,
        )
        command = ["--wire", "tests.worker.processes.wired_parts:wire", "--parent", os.getpid(), *numbers]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "scoopi.worker", *map(str, command)],
            stdout=outgoing if replaces == "stdout" else subprocess.PIPE,
            stderr=outgoing if replaces == "stderr" else subprocess.PIPE,
            pass_fds=(incoming, outgoing, marker.descriptor),
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""},
            text=True,
        )
        for descriptor in (incoming, outgoing):
            os.close(descriptor)
        marker.close()

    def send(self, message: msgspec.Struct) -> None:
        os.write(self.to_worker, pack(message))

    def hear(self) -> ToParent:
        """The next message."""
        buffer = MessageBuffer()
        while True:
            assert select.select([self._from_worker], [], [], LIMIT_S)[0], "the worker says nothing"
            buffer.feed(os.read(self._from_worker, 1 << 16))
            for body in buffer.bodies():
                message: ToParent = msgspec.msgpack.decode(body, type=ToParent)
                return message

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self.to_worker)
        os.close(self._from_worker)


@pytest.fixture
def worker() -> Iterator[Process]:
    made = Process()
    yield made
    made.close()


def test_what_a_plugin_prints_goes_to_stderr_also_what_is_printed_last(worker: Process) -> None:
    worker.send(Setup(b""))
    assert worker.hear() == Ready()
    worker.send(Stop())
    assert isinstance(worker.hear(), Results)
    printed, errors = worker.process.communicate(timeout=LIMIT_S)
    assert worker.process.returncode == 0
    assert printed == ""
    assert errors.splitlines() == [
        "printed by a plugin, garbage is not collected",
        "ignored: SIGHUP SIGINT 0.0005",
    ]


def test_a_pipe_that_has_the_number_of_stdout_stays_the_pipe() -> None:
    """As where Scoopi was started with its standard streams closed."""
    worker = Process(replaces="stdout")
    worker.send(Setup(b"broken"))
    assert worker.hear() == StartFault("ValueError: no such plugin")
    worker.close()


def test_nothing_that_a_plugin_prints_gets_into_a_pipe_that_has_the_number_of_stderr() -> None:
    worker = Process(replaces="stderr")
    worker.send(Setup(b""))
    assert worker.hear() == Ready()
    worker.send(Stop())
    assert isinstance(worker.hear(), Results)
    printed, _ = worker.process.communicate(timeout=LIMIT_S)
    assert printed.startswith("printed by a plugin")
    worker.close()


@pytest.mark.parametrize(
    ("memory_bytes", "freed"), [(None, "kept"), (8 * KEPT_BYTES, "kept"), (8 * KEPT_BYTES - 1, "returned")]
)
def test_a_wired_worker_collects_garbage_rarely_and_keeps_freed_memory_if_it_has_enough(
    worker: Process, memory_bytes: int | None, freed: str
) -> None:
    worker.send(Setup(b"" if memory_bytes is None else b"%d" % memory_bytes))
    worker.send(Assign((WorkItem("job", 1, JobPayload(Locator("name", "group", "page.html"), "seed")),)))
    worker.send(Stop())
    _, errors = worker.process.communicate(timeout=LIMIT_S)
    assert errors.splitlines()[-1] == f"collected after {COLLECTED_AFTER}, frozen, {freed}"


def test_a_worker_that_cannot_be_wired_reports_why(worker: Process) -> None:
    worker.send(Setup(b"broken"))
    assert worker.hear() == StartFault("ValueError: no such plugin")


def test_a_worker_whose_parent_closes_its_pipe_ends(worker: Process) -> None:
    worker.send(Setup(b""))
    assert worker.hear() == Ready()
    os.close(worker.to_worker)
    worker.to_worker = os.open(os.devnull, os.O_WRONLY)
    assert worker.process.wait(LIMIT_S) == 0


@pytest.mark.parametrize("words", [[], ["--wire"], ["--wire", "a:b"], ["--wire", "a:b", "--parent", "x"]])
def test_a_user_who_starts_a_worker_is_shown_the_way(words: list[str]) -> None:
    command = [sys.executable, "-m", "scoopi.worker", *words]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ended.returncode == 1
    assert ended.stderr == (
        "scoopi.worker is started by Scoopi, with pipes of its parent; see `scoopi --help`\n"
    )
