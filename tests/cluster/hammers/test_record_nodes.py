"""The short form of the record hammer: a node is killed, and each row stands once in the outputs of all."""

from __future__ import annotations

import random
from pathlib import Path
from typing import cast

from scoopi.store.cluster.cluster_client import ClusterClient
from tests.cluster.hammers.hammer_grid import HammerGrid
from tests.cluster.hammers.members_of_tests import MembersOfTests
from tests.cluster.hammers.record_hammer import NODE, RecordHammer
from tests.engine.workspace import wait_until
from tests.outputs.postgres_server import PostgresServer

PAGES = 80
LIMIT_S = 60.0
SOME_BYTES = 2000


def _await_rows(folder: Path) -> None:
    """Until a node has committed some."""
    segments = "node-*/out/**/segments/*.seg"
    wait_until(
        lambda: any(path.stat().st_size > SOME_BYTES for path in folder.glob(segments)), "a row", LIMIT_S
    )


def test_each_row_stands_once_in_all_outputs_of_three_nodes_if_some_are_killed(
    tmp_path: Path, cluster: ClusterClient
) -> None:
    members = cast("HammerGrid", MembersOfTests(cluster))
    with PostgresServer() as server:
        hammer = RecordHammer(tmp_path, members, server, random.Random(4), PAGES)
        hammer.play(NODE, lambda: _await_rows(tmp_path))

    assert hammer.landed[NODE], "the run was over before the kill"
