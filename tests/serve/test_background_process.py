"""A background process has a request, an answer and a time limit."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scoopi.serve.background_process import BackgroundProcess
from tests.serve.serving import is_alive, until

PROGRAM = """
import json, os, signal, subprocess, sys, time
request = json.load(sys.stdin)
assert request["parent"] == os.getppid()
exec(request["text"])
"""


@contextmanager
def process(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, limit_s: float = 60.0
) -> Iterator[BackgroundProcess]:
    (folder / "program_of_a_test.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(str(folder))
    own = BackgroundProcess("program_of_a_test", {"text": text}, os.environ, limit_s)
    try:
        yield own
    finally:
        own.close()


def over(own: BackgroundProcess) -> BackgroundProcess:
    until(own.is_over)
    return own


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("print('done')", ""),
        ("raise KeyError('no queue')", "KeyError: 'no queue'"),
        ("sys.exit(1)", "exit code 1"),
        ("print('a\\nno route', file=sys.stderr); sys.exit(3)", "exit code 3: no route"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "killed by signal 15"),
    ],
)
def test_how_it_ended_is_a_sentence(
    text: str, failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with process(tmp_path, monkeypatch, text) as own:
        assert over(own).failure() == failure


def test_its_answer_is_read_when_it_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with process(tmp_path, monkeypatch, "os.write(request['answer'], b'[1, 2]')") as own:
        assert over(own).answer() == b"[1, 2]"


def test_an_answer_larger_than_a_pipe_is_read_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "data = b'x' * 300_000\nwhile data: data = data[os.write(request['answer'], data):]"
    with process(tmp_path, monkeypatch, text) as own:
        assert len(over(own).answer()) == 300_000
        assert own.failure() == ""


def test_an_order_that_nobody_reads_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    own = BackgroundProcess("no_program_of_a_test", {"text": "x" * 1_000_000}, os.environ, 60.0)
    assert "No module named no_program_of_a_test" in over(own).failure()
    own.close()


def test_what_takes_too_long_is_killed_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "child"
    text = f"child = subprocess.Popen(['sleep', '600']); open({str(file)!r}, 'w').write(str(child.pid))"
    with process(tmp_path, monkeypatch, f"{text}; time.sleep(600)") as waiting:
        until(lambda: file.exists() and file.read_text())
        later = time.monotonic() + 120
        monkeypatch.setattr(time, "monotonic", lambda: later)
        assert waiting.is_over()
    assert waiting.failure() == "took longer than 60 s"
    monkeypatch.undo()
    child = int(file.read_text())
    until(lambda: not is_alive(child))


def test_what_it_has_left_behind_is_killed_before_its_id_can_be_given_to_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, kill = tmp_path / "child", os.killpg
    signalled: list[bool] = []

    def killed(group: int, number: int) -> None:
        signalled.append(Path(f"/proc/{group}").exists())
        kill(group, number)

    monkeypatch.setattr(os, "killpg", killed)
    text = f"child = subprocess.Popen(['sleep', '600']); open({str(file)!r}, 'w').write(str(child.pid))"
    with process(tmp_path, monkeypatch, text) as own:
        assert over(own).failure() == ""
        child = int(file.read_text())
        until(lambda: not is_alive(child))
    assert signalled == [True], "it is signalled once, while its id is its own"
