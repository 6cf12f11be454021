"""notice_call: a process that sends one notice, by a command or a function of the project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LIMIT_S = 60.0
MESSAGE = {"event": "failed", "reason": "no bread — übrig"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "mail"
    program.write_text('#!/bin/sh\ncat > "sent by $1"\nexit 3\n')
    program.chmod(0o755)
    (tmp_path / "mail.py").write_text(
        "from pathlib import Path\n"
        "def send(message): Path('sent').write_text(message['reason'], encoding='utf-8')\n"
        "def fail(message): raise ValueError(message['event'])\n"
    )
    return tmp_path


def call(project: Path, *via: str) -> subprocess.CompletedProcess[str]:
    request = {"parent": os.getpid(), "project": str(project), "via": via, "message": MESSAGE}
    return subprocess.run(
        [sys.executable, "-m", "scoopi.serve.notices.notice_call"],
        input=json.dumps(request),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def test_a_command_of_the_project_gets_the_message_and_gives_the_exit_code(
    project: Path,
) -> None:
    assert call(project, "bin/mail", "ann").returncode == 3
    assert json.loads((project / "sent by ann").read_text(encoding="utf-8")) == MESSAGE


def test_a_command_of_the_path_needs_no_shell(project: Path) -> None:
    assert call(project, "test", "$HOME", "=", "$HOME").returncode == 0
    assert call(project, "test", "a", "=", "*").returncode == 1


def test_a_function_of_the_project_gets_the_message(project: Path) -> None:
    assert call(project, "python:mail:send").returncode == 0
    assert (project / "sent").read_text(encoding="utf-8") == MESSAGE["reason"]


def test_what_goes_wrong_is_an_exit_code_with_the_reason(project: Path) -> None:
    missing, failed = call(project, "bin/nothing"), call(project, "python:mail:fail")
    assert (missing.returncode, missing.stderr) == (127, "program bin/nothing was not found\n")
    assert failed.returncode == 1
    assert failed.stderr.endswith("ValueError: failed\n")
