"""The measurement of many records, small: both write each record once."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.rows.many_records import measure
from tests.outputs.postgres_server import PostgresServer


def test_scoopi_and_the_loop_write_each_record_once(tmp_path: Path) -> None:
    with PostgresServer() as server:
        ours, theirs = measure(tmp_path, 3, server)
    assert (ours.code, theirs.code) == (0, 0)
    assert max(ours.memory_mb) > 0
