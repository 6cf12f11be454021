"""The short form of the record rounds: whatever is killed, each row stands once in every output."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.outputs.postgres_server import PostgresServer
from tests.reliability.record_rounds import DATABASE, PARENT, WORKER, RecordRound
from tests.reliability.record_world import build_records

PAGES = 150


@pytest.mark.parametrize("blows", [[PARENT, PARENT], [DATABASE, PARENT], [WORKER, DATABASE]])
def test_each_row_stands_once_in_every_output_whatever_is_killed(tmp_path: Path, blows: list[str]) -> None:
    source = random.Random(" ".join(blows))
    with PostgresServer() as server:
        RecordRound(tmp_path, server, source, PAGES).play(blows, most_delay_s=1.5)


def test_lost_and_doubled_rows_are_found(tmp_path: Path) -> None:
    world = build_records(tmp_path, 2)

    assert world.differences(world.packets, world.packets) == ""
    assert "1 lost" in world.differences([*world.packets][1:], world.packets)
    assert "1 doubled" in world.differences([*world.packets, "p0.0"], world.packets)
    assert "1 strange" in world.differences([*world.packets, "x"], world.packets)
