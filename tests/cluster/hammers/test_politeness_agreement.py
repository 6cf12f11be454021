"""What was promised, what three hosts have seen, and what `scoopi politeness` shows are the same."""

from __future__ import annotations

import random
from pathlib import Path

from scoopi.store.cluster.cluster_client import ClusterClient
from tests.cluster.hammers.politeness_hammer import PolitenessRound

PAGES = 3


def test_all_accounts_agree_when_a_worker_and_a_node_are_killed(
    cluster: ClusterClient, tmp_path: Path
) -> None:
    PolitenessRound(cluster.settings, tmp_path, PAGES, random.Random()).play()
