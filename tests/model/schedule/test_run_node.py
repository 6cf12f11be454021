"""A node of a run takes a place of its worker from its placement until it ends."""

from __future__ import annotations

from typing import Literal

import pytest

from scoopi.model.schedule.run_node import RunNode


@pytest.mark.parametrize(
    ("status", "is_held"), [("free", False), ("placed", True), ("running", True), ("ended", False)]
)
def test_a_node_takes_a_place_while_it_is_placed_or_runs(
    status: Literal["free", "placed", "running", "ended"], is_held: bool
) -> None:
    assert RunNode(number=2, status=status, worker="b").is_held is is_held
