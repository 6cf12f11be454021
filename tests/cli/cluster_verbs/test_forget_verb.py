"""`forget` removes a run from its cluster, and asks while nodes work on it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from scoopi import run_control


class Cluster:
    """A cluster whose run these nodes work on."""

    def __init__(self) -> None:
        self.nodes: list[str] = []

    def forget(
        self, run: str, settings: object, *, is_sure: Callable[[Sequence[str]], bool], **_: Any
    ) -> bool:
        return not self.nodes or is_sure(self.nodes)


class Keyboard(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    cluster = Cluster()
    monkeypatch.setattr(run_control, "forget_run", cluster.forget)
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    return cluster


LINE = ("forget", "shop", "--cluster", "h:5701")


def test_a_run_that_nobody_works_on_is_removed_unasked(screen: Any, cluster: Cluster) -> None:
    assert screen.run(*LINE) == 0
    assert screen.err.getvalue() == "run shop: removed from the cluster\n"


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ("y\n", 0, "removed from the cluster"),
        ("Yes\n", 0, "removed"),
        ("\n", 130, "nothing was removed"),
        ("", 130, "nothing"),
    ],
)
def test_while_nodes_work_on_it_the_user_is_asked(
    screen: Any, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, typed: str, code: int, said: str
) -> None:
    cluster.nodes = ["ann", "bob"]
    monkeypatch.setattr(sys, "stdin", Keyboard(typed))
    assert screen.run(*LINE) == code
    question, answer = screen.err.getvalue().splitlines()
    assert question == "nodes still work on the run shop (ann, bob); remove it anyway? [y/N]"
    assert said in answer


def test_without_a_terminal_nobody_can_be_asked(screen: Any, cluster: Cluster) -> None:
    cluster.nodes = ["ann"]
    assert screen.run(*LINE) == 2
    assert "nodes still work on the run shop (ann)" in screen.err.getvalue()
    assert "add --yes" in screen.err.getvalue()


def test_yes_asks_nobody(screen: Any, cluster: Cluster) -> None:
    cluster.nodes = ["ann"]
    assert screen.run(*LINE, "--yes") == 0
    assert screen.err.getvalue() == "run shop: removed from the cluster\n"
