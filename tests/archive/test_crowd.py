"""Several processes on one archive, also killed ones: never a mixed or half page."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from scoopi.archive.archive import Archive, data_key
from scoopi.model.locator import Locator
from tests.archive.crowd import is_mixed


def start(folder: Path, seed: int, rounds: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.archive.crowd", str(folder), str(seed), str(rounds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> int:
    with process:
        process.communicate(timeout=60)
        return process.returncode


def test_processes_that_save_load_and_delete_the_same_pages_never_read_a_mixed_one(tmp_path: Path) -> None:
    crowd = [start(tmp_path / "data", seed, 250) for seed in range(3)]
    assert [end(process) for process in crowd] == [0, 0, 0]


def test_a_writer_killed_at_any_moment_damages_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for seed in range(4):
        process = start(folder, seed, -1)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        moment = time.monotonic() + 0.01 * (seed + 1)
        while time.monotonic() < moment:
            pass
        process.kill()
        assert end(process) != 0
        for number in range(3):
            locator = Locator(f"n{number}", "g", "/u")
            assert not is_mixed(Archive(folder), locator, data_key(locator, "t", "d", "0"))
