"""majority_of: the members that a client sees, counted in maps that belong to no run."""

from __future__ import annotations

import pytest

from scoopi.errors import StoreError
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.majority_guard import majority_of
from scoopi.store.ports import RUN
from tests.cluster.grids import new_run


def test_the_members_that_were_seen_are_known_to_all_nodes(cluster: ClusterClient) -> None:
    majority_of(cluster, cluster.settings, "n1").ensure()
    assert majority_of(cluster, cluster.settings, "n2").most() == 1


def test_its_own_records_are_read_although_the_stores_of_the_client_are_refused(
    cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = [1]
    monkeypatch.setattr("scoopi.store.cluster.member_majority.WAIT_S", 0.01)
    monkeypatch.setattr(ClusterClient, "seen", lambda _: number[0])
    majority = majority_of(cluster, cluster.settings, "n1")
    majority.ensure()
    with new_run(cluster) as store:
        cluster.guard(majority.ensure)
        try:
            number[0] = 0
            with pytest.raises(StoreError, match="the cluster seems split: 0 of 1 members"):
                store.get_all(RUN, ["a"])
            assert majority.most() == 1
        finally:
            cluster.guard(lambda: None)
