"""child: the process of an attempt has nothing of its supervisor but three pipes."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from scoopi.serve.work.child import NICENESS, NOT_STARTED, Pipes, start_child

SLOT = ["D:2026010100", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]


class Ended(NamedTuple):
    """How a child ended, and what came through its pipes."""

    code: int
    out: str
    err: str
    answers: list[dict[str, Any]]


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Runs a child to its end; what does not end within the test is killed."""
    pids: list[int] = []

    def ended(**spec: Any) -> Ended:
        pipes = Pipes()
        pids.append(start_child({"cwd": str(tmp_path), "env": dict(os.environ), **spec}, pipes))
        texts = []
        for end in (pipes.out, pipes.err, pipes.answers):
            with open(end) as read:  # to its end, so no one else has the other end open
                texts.append(read.read())
        _, status = os.waitpid(pids[-1], 0)
        pids.pop()
        answers = [json.loads(line) for line in texts[2].splitlines()]
        return Ended(os.waitstatus_to_exitcode(status), texts[0], texts[1], answers)

    yield ended
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def shell(run: Run, script: str, **spec: Any) -> Ended:
    return run(argv=["sh", "-c", script], **spec)


def test_a_program_writes_to_its_own_streams_and_its_input_is_empty(run: Run) -> None:
    ended = shell(run, "cat; echo out; echo err >&2; exit 3")
    assert ended == Ended(3, "out\n", "err\n", [])


def test_a_program_has_the_folder_and_the_variables_of_its_order_and_no_others(
    run: Run, tmp_path: Path
) -> None:
    ended = shell(run, "pwd; env", env={"SHOP": "1", "PATH": os.environ["PATH"]})
    lines = ended.out.splitlines()
    assert lines[0] == str(tmp_path)
    assert {line.partition("=")[0] for line in lines[1:]} - {"PWD", "SHLVL", "_", "OLDPWD"} == {
        "SHOP",
        "PATH",
    }


def test_the_work_has_a_lower_priority_than_its_supervisor(run: Run) -> None:
    assert int(shell(run, "nice").out) == min(19, os.nice(0) + NICENESS)


def test_a_program_inherits_no_file_that_its_supervisor_has_opened(run: Run, tmp_path: Path) -> None:
    given = {name for name in os.listdir("/proc/self/fd") if _is_inheritable(int(name))}
    kept = os.open(tmp_path, os.O_RDONLY)
    ended = shell(run, "ls /proc/self/fd")
    os.close(kept)
    assert {*ended.out.split()} - given <= {"0", "1", "2", "3"}, "3 is what ls reads the folder with"


def _is_inheritable(descriptor: int) -> bool:
    try:
        return os.get_inheritable(descriptor)
    except OSError:  # the one that the folder was read with
        return False


def test_a_program_leads_a_process_group_of_its_own(run: Run) -> None:
    script = "import os; print(os.getpgid(0) == os.getpid(), os.getppid())"
    ended = run(argv=[sys.executable, "-c", script])
    assert ended.out.split() == ["True", str(os.getpid())]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"argv": ["no-such-program"]}, "no-such-program: No such file or directory\n"),
        ({"argv": ["true"], "cwd": "/no/such/folder"}, "/no/such/folder: No such file or directory\n"),
        ({"argv": ["true", "a\0b"]}, "the program cannot be started: embedded null byte\n"),
        ({"argv": ["true"], "env": {"DAY": "a\0b"}}, "the program cannot be started: embedded null byte\n"),
    ],
)
def test_what_cannot_be_started_says_why(run: Run, spec: dict[str, Any], said: str) -> None:
    ended = run(**spec)
    assert (ended.code, ended.err.split(": ", 1)[-1]) == (NOT_STARTED, said.split(": ", 1)[-1])
    assert said.partition(":")[0] in ended.err


def order_of(**more: Any) -> dict[str, Any]:
    """A spec for a function, with the path on which it is found."""
    inputs = {"a": "1", "b": "2"}
    attempt = {"attempt": "shop/D:2026010100/1", "slot": SLOT, "folder": "/tmp", "inputs": inputs}
    return {"path": [str(Path(__file__).parents[3])], **attempt, **more}


def test_a_function_reports_through_the_third_pipe(run: Run) -> None:
    ended = run(**order_of(call="tests.serve.work.specs.called:adds"))
    assert ended.code == 0, ended.err
    assert [answer["answer"]["outputs"] for answer in ended.answers] == [{"sum": "12"}]


@pytest.mark.parametrize("exists", [True, False])
def test_a_program_whose_checks_do_not_allow_it_does_not_run(run: Run, tmp_path: Path, exists: bool) -> None:
    path = str(tmp_path if exists else tmp_path / "gone")
    ended = shell(run, "echo ran", **order_of(checks=[{"path": path}]))
    assert (ended.code, ended.out) == (0, "ran\n" if exists else ""), ended.err
    assert [answer["answer"]["status"] for answer in ended.answers] == ([] if exists else ["not_ready"])


def test_a_program_ends_by_sigterm_although_checks_ran_before(run: Run, tmp_path: Path) -> None:
    checks = [{"probe": "tests.serve.work.specs.called:may_begin"}, {"path": str(tmp_path)}]
    ended = shell(run, "kill -TERM $$; echo survived", **order_of(checks=checks))
    assert (ended.code, ended.out) == (-signal.SIGTERM, ""), ended
