"""A supervisor runs the work of an attempt and leaves nothing of it behind."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.serve.serving import is_alive, until
from tests.serve.work.specs.supervising import Started, ended, function, shell


def test_the_exit_code_and_the_last_line_of_a_program_are_reported(started: Started, tmp_path: Path) -> None:
    end = ended(started(**shell("echo one; echo problem >&2; echo '{\"rows\": 3}'; exit 4")))
    assert end == {"code": 4, "outputs": {"rows": 3}}
    assert sorted((tmp_path / "log").read_text().splitlines()) == ["one", "problem", '{"rows": 3}']


def test_a_death_by_a_signal_is_reported(started: Started) -> None:
    assert ended(started(**shell("kill -9 $$"))) == {"signal": 9}


def test_a_program_that_cannot_be_started_says_why_in_its_log(started: Started, tmp_path: Path) -> None:
    assert ended(started(argv=["/nowhere/program"])) == {"code": 127}
    assert "No such file or directory" in (tmp_path / "log").read_text()


def test_a_program_with_a_zero_byte_in_a_word_says_so_in_its_log(started: Started, tmp_path: Path) -> None:
    assert ended(started(argv=["sh", "-c", "\0"])) == {"code": 127}
    assert (tmp_path / "log").read_text() == "the program cannot be started: embedded null byte\n"


def test_descendants_end_with_the_program_even_those_in_other_sessions(
    started: Started, tmp_path: Path
) -> None:
    running = started(
        **shell("setsid sh -c 'echo $$ > pid; sleep 300' & while ! test -s pid; do sleep 0.01; done")
    )
    assert ended(running) == {"code": 0}
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_all_is_killed_when_the_pipe_to_the_supervisor_closes(started: Started, tmp_path: Path) -> None:
    running = started(**shell("trap '' TERM; sh -c 'echo $$ > pid; sleep 300'; true"))
    pid = tmp_path / "pid"
    until(lambda: pid.exists() and pid.read_text())
    running.abandon()
    assert not is_alive(int(pid.read_text()))


def test_all_is_killed_when_the_lease_of_the_supervisor_runs_out(started: Started) -> None:
    end = ended(started(lease_ends_at=time.monotonic() + 0.3, **shell("sleep 300")))
    assert end == {"cause": "its worker has not renewed its heartbeat"}


def test_work_whose_lease_is_over_before_it_begins_is_not_begun(started: Started, tmp_path: Path) -> None:
    end = ended(started(lease_ends_at=time.monotonic(), **shell("touch begun")))
    assert end == {"cause": "its worker has not renewed its heartbeat"}
    assert not (tmp_path / "begun").exists()


def test_a_renewed_lease_ends_when_it_says_however_late_that_is_heard(started: Started) -> None:
    running = started(lease_ends_at=time.monotonic() + 30, **shell("sleep 300"))
    running.keep_alive(time.monotonic() - 1)
    assert ended(running) == {"cause": "its worker has not renewed its heartbeat"}


def test_a_program_that_ignores_a_stop_is_killed_later(started: Started, tmp_path: Path) -> None:
    running = started(**shell("trap '' TERM; touch ready; while true; do sleep 0.1; done"))
    until((tmp_path / "ready").exists)
    running.stop(0.0)
    running.kill_late()
    assert ended(running) == {"cause": "killed"}


def test_a_stop_that_comes_after_the_end_of_a_program_does_not_change_its_end(
    started: Started, tmp_path: Path
) -> None:
    running = started(**shell("echo $$ > pid; while ! test -e go; do sleep 0.01; done"))
    pid = tmp_path / "pid"
    until(lambda: pid.exists() and pid.read_text())
    held = os.open(f"/proc/{int(pid.read_text())}/fd/1", os.O_WRONLY)  # so that its end is awaited
    (tmp_path / "go").touch()
    until(lambda: not Path(f"/proc/{int(pid.read_text())}").exists())
    running.stop(60.0)
    end = ended(running)
    os.close(held)
    assert end == {"code": 0}


def test_work_of_an_attempt_waits_for_that_of_an_earlier_claim(started: Started, tmp_path: Path) -> None:
    first = started(**shell("touch first; while ! test -e go; do sleep 0.01; done; echo first"))
    until((tmp_path / "first").exists)
    second = started(**shell("echo second"))
    (tmp_path / "go").touch()
    assert ended(first) == ended(second) == {"code": 0}
    assert (tmp_path / "log").read_text() == "first\nsecond\n"


def test_a_function_is_called_with_the_inputs_that_it_names(started: Started, tmp_path: Path) -> None:
    body = (
        "def work(day, context, more='x'):\n    return {'day': day, 'key': context.slot.key, 'more': more}\n"
    )
    end = ended(started(inputs={"day": "1", "other": "2"}, **function(tmp_path, body)))
    expected = {"day": "1", "key": "!1", "more": "x"}
    assert end["answer"] == {"status": "succeeded", "outputs": expected, "is_whole": True}


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("raise Noop('nothing new')", {"status": "noop", "explanation": "nothing new", "outputs": {}}),
        ("raise NotReady('no file')", {"status": "not_ready", "explanation": "no file", "outputs": {}}),
        ("raise Failed('bad', {'n': 1})", {"status": "failed", "explanation": "bad", "outputs": {"n": 1}}),
        ("raise KeyError('a')", {"status": "error", "explanation": "KeyError: 'a'"}),
        ("import sys; sys.exit(3)", {"status": "error", "explanation": "SystemExit: 3"}),
        (
            "return 3",
            {
                "status": "error",
                "explanation": "TypeError: it returned int; return a dict of outputs, or nothing",
            },
        ),
        ("pass", {"status": "succeeded", "outputs": {}}),
    ],
)
def test_a_function_ends_its_attempt(
    started: Started, tmp_path: Path, body: str, answer: dict[str, Any]
) -> None:
    text = f"from scoopi.scheduler import Failed, Noop, NotReady\ndef work():\n    {body}\n"
    assert ended(started(**function(tmp_path, text)))["answer"] == {**answer, "is_whole": True}


def test_a_function_reports_progress_and_sees_a_cancel(started: Started, tmp_path: Path) -> None:
    body = (
        "import time\ndef work(context):\n    context.progress()\n"
        "    while not context.is_canceled():\n        time.sleep(0.01)\n    return {'seen': True}\n"
    )
    running = started(**function(tmp_path, body))
    assert running.messages() == [{"progress": {}}]
    running.stop(60.0)
    assert ended(running)["answer"] == {"status": "succeeded", "outputs": {"seen": True}, "is_whole": False}


def test_a_report_larger_than_a_pipe_arrives_whole_although_the_work_ends_meanwhile(
    started: Started, tmp_path: Path
) -> None:
    body = (
        "import os, time\ndef work(context):\n    context.progress(seen='x' * 300_000)\n"
        "    time.sleep(0.3)\n    open('new', 'w').write(str(os.getpid()))\n    os.rename('new', 'left')\n"
    )
    running = started(**function(tmp_path, body))
    until((tmp_path / "left").exists)
    pid = int((tmp_path / "left").read_text())
    until(lambda: not is_alive(pid))  # the signal of its end interrupts whatever the supervisor writes
    messages: list[dict[str, Any]] = []
    while not messages or "end" not in messages[-1]:
        messages += running.messages()
    assert [len(messages[0]["progress"]["seen"]), messages[1]["end"]["code"]] == [300_000, 0]


def test_work_is_killed_at_the_end_of_its_lease_although_nobody_reads_its_reports(
    started: Started, tmp_path: Path
) -> None:
    body = (
        "import os, time\ndef work(context):\n    open('pid', 'w').write(str(os.getpid()))\n"
        "    context.progress(seen='x' * 300_000)\n    time.sleep(300)\n"
    )
    started(lease_ends_at=time.monotonic() + 1.5, **function(tmp_path, body))
    pid = tmp_path / "pid"
    until(lambda: pid.exists() and pid.read_text())
    until(lambda: not is_alive(int(pid.read_text())))


def test_a_function_finds_the_packages_of_its_worker(started: Started, tmp_path: Path) -> None:
    body = "import sys, msgspec\ndef work():\n    return {'path': sys.executable}\n"
    assert ended(started(**function(tmp_path, body)))["answer"]["outputs"] == {"path": sys.executable}
