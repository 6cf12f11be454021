"""Descendants: processes below one are found, measured and killed, orphans among them too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from scoopi.descendants import kill_tree, memory_of_trees
from tests.engine.workspace import wait_until

GRANDCHILDREN = "sleep 60 & sleep 60 & echo $!; wait"


@pytest.fixture
def tree() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A shell with two children; the shell, and the id of one of them."""
    shell = subprocess.Popen(["sh", "-c", GRANDCHILDREN], stdout=subprocess.PIPE, text=True)
    assert shell.stdout is not None
    yield shell, int(shell.stdout.readline())
    shell.kill()
    shell.wait()
    shell.stdout.close()


def is_there(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(") ")[2][:1] != "Z"
    except OSError:
        return False


def test_a_tree_is_killed_from_the_top(tree: tuple[subprocess.Popen[str], int]) -> None:
    shell, grandchild = tree
    kill_tree(shell.pid)
    assert shell.wait(60) == -signal.SIGKILL
    wait_until(lambda: not is_there(grandchild), "the end of the grandchild")


def test_the_memory_of_a_tree_is_that_of_all_its_processes(tree: tuple[subprocess.Popen[str], int]) -> None:
    shell, grandchild = tree
    measured = memory_of_trees([shell.pid, grandchild])
    assert measured[shell.pid] > measured[grandchild] > 0


def test_of_a_process_that_has_ended_nothing_is_measured_and_its_kill_raises_nothing() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert memory_of_trees([ended.pid]) == {ended.pid: 0}
    kill_tree(ended.pid)


PROGRAM = """
import os, subprocess, sys, time
from scoopi.descendants import adopt_orphans, die_with_parent, kill_descendants
adopt_orphans()
shell = subprocess.Popen(["sh", "-c", "(sleep 60 & echo $! >&3)"], pass_fds=(3,), preexec_fn=None)
shell.wait()
time.sleep(float(sys.argv[1]))
kill_descendants()
print("all gone")
"""


def test_descendants_whose_own_parent_has_ended_are_killed_and_waited_for() -> None:
    heard, said = os.pipe()
    command = f'exec 3>&{said}; exec "{sys.executable}" -c "$0" 0'
    ended = subprocess.run(
        ["bash", "-c", command, PROGRAM],
        pass_fds=(said,),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    os.close(said)
    orphan = int(os.read(heard, 100))
    os.close(heard)
    assert ended.stdout == "all gone\n", ended.stderr
    assert not is_there(orphan)
