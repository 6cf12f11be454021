"""`tests/run`: what it repeats, and what a signal to it ends; the checks that it calls are played."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.engine.workspace import wait_until

SCRIPT = Path(__file__).parent.parent / "run"
LIMIT_S = 60.0
NAMES = ["tests/a/test_a.py::test_one", 'tests/b/test_b.py::test_of["two words"]']


class Checkout:
    """A folder with the script, whose Python runs what a test gives instead of pytest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "tests").mkdir()
        shutil.copy(SCRIPT, folder / "tests/run")
        (folder / "tests/setup").write_text("")
        for name in ("ruff", "mypy", "lint-imports"):
            self._program(name, "")

    def plays(self, pytest_text: str) -> None:
        """Give the text of the program that stands for pytest; its arguments are `sys.argv[1:]`."""
        (self.folder / "played.py").write_text(textwrap.dedent(pytest_text))
        self._program(
            "python",
            f"""
            [ "$*" = "${{*/--collect-only/}}" ] || exit 0
            [ "$1" != -m ] || {{ shift 2; set -- played.py "$@"; }}
            exec {sys.executable} "$@"
            """,
        )

    def start(self) -> subprocess.Popen[str]:
        """The script, in a process of its own, without a terminal.

        It heeds SIGINT also where these tests run in the background of a shell, whose processes ignore it.
        """
        return subprocess.Popen(
            ["env", "--default-signal=INT", "bash", "tests/run", "-k", "some"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _program(self, name: str, text: str) -> None:
        file = self.folder / ".venv/bin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/usr/bin/env bash\n{textwrap.dedent(text)}")
        file.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture
def started(checkout: Checkout) -> Iterator[subprocess.Popen[str]]:
    """The script while its tests run; they have written `worker.pid`."""
    checkout.plays("""
        import os, signal, subprocess, sys, time

        interrupts = []
        signal.signal(signal.SIGINT, lambda *_: interrupts.append(1))
        worker = subprocess.Popen(["sleep", "100"])
        with open("new", "w") as file:
            file.write(str(worker.pid))
        os.rename("new", "worker.pid")
        while not interrupts:
            time.sleep(0.01)
        time.sleep(0.2)  # a second one would come with the first
        print("interrupted", len(interrupts))
        sys.exit(2)
    """)
    with checkout.start() as process:
        try:
            wait_until((checkout.folder / "worker.pid").exists, "the start of the tests", LIMIT_S)
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # the script, its tests and what they have started


def worker_of(checkout: Checkout) -> int:
    return int((checkout.folder / "worker.pid").read_text())


@pytest.mark.parametrize("sent", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_tests_and_what_they_have_started(
    started: subprocess.Popen[str], checkout: Checkout, sent: signal.Signals
) -> None:
    started.send_signal(sent)
    printed, _ = started.communicate(timeout=LIMIT_S)
    assert started.returncode == 128 + sent
    assert "\ninterrupted 1\n" in printed, "a second one could interrupt the end of what tests have started"
    process = Path(f"/proc/{worker_of(checkout)}")
    wait_until(lambda: not process.exists(), "the end of the worker", LIMIT_S)


def test_tests_that_failed_are_repeated_by_their_names_only(checkout: Checkout) -> None:
    checkout.plays(f"""
        import json, pathlib, sys
        cache = pathlib.Path(".pytest_cache/v/cache/lastfailed")
        if cache.exists():
            print("repeated:", sys.argv[1:-1], pathlib.Path(sys.argv[-1].removeprefix("@")).read_text())
        else:
            print("run:", sys.argv[-2:])
            cache.parent.mkdir(parents=True)
            cache.write_text(json.dumps(dict.fromkeys({NAMES}, True), indent=2))
            sys.exit(1)
    """)
    with checkout.start() as process:
        printed, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, printed
    names = "\n".join(NAMES)
    assert "run: ['-k', 'some']\n" in printed
    assert f"repeated: ['-q'] {names}\n" in printed
    assert printed.endswith(f"passed only when repeated alone:\n{names}\n")


def test_more_than_three_failed_tests_are_not_repeated(checkout: Checkout) -> None:
    checkout.plays("""
        import json, pathlib, sys
        cache = pathlib.Path(".pytest_cache/v/cache/lastfailed")
        cache.parent.mkdir(parents=True)
        cache.write_text(json.dumps({f"test_{number}": True for number in range(4)}, indent=2))
        sys.exit(1)
    """)
    with checkout.start() as process:
        printed, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 1
    assert printed.endswith("== tests\n")
