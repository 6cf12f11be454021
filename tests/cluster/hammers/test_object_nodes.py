"""The short form of the rounds with an object store on nodes: one is killed, rows and objects come once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scoopi.store.cluster.cluster_client import ClusterClient
from tests.cluster.hammers.members_of_tests import MembersOfTests
from tests.cluster.hammers.object_nodes import UPLOADING, ObjectNodes
from tests.reliability.file_rounds import SETTINGS, FileWorld
from tests.reliability.object_rounds import UPLOAD_MS
from tests.server.object_store import ObjectStore

PAGES = 4


def test_rows_and_objects_of_two_nodes_come_out_once_if_one_is_killed_while_it_uploads(
    files: FileWorld, cluster: ClusterClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ObjectStore(UPLOAD_MS) as store:
        for name, text in {**SETTINGS, **store.environment}.items():
            monkeypatch.setenv(name, text)
        members, folder = MembersOfTests(cluster), tmp_path / "bucket"
        played = ObjectNodes(files, members, store, folder, random.Random(5), "shared").play(UPLOADING)
    assert played.startswith("shared: ")
