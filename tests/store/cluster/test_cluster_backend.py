"""ClusterBackend: runs in the maps of a real cluster, guarded against its split only if that is wished."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scoopi.errors import ClusterError, RunError, StoreError
from scoopi.store import suspension_guard
from scoopi.store.cluster.cluster_backend import ClusterBackend
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.member_heaps import MemberHeaps
from scoopi.store.ports import RUN


@pytest.fixture
def client(cluster: ClusterClient) -> Iterator[ClusterClient]:
    """A client of its own, that a backend closes."""
    client = ClusterClient(cluster.settings)
    yield client
    client.close()


def test_each_run_has_maps_of_its_own_and_they_can_be_removed(client: ClusterClient) -> None:
    backend = ClusterBackend(client, "n1")
    one, two = backend.store("backend-one"), backend.store("backend-two")
    for number, store in enumerate((one, two)):
        store.put_if_absent_all(RUN, [("a", b"%d" % number)])
    backend.remove("backend-one")
    assert (one.get_all(RUN, ["a"]), two.get_all(RUN, ["a"])) == ({}, {"a": b"1"})
    backend.remove("backend-two")


def test_a_node_that_was_away_writes_nothing_if_its_run_is_known_to_be_removed(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suspension_guard, "AWAY_S", -1)
    backend = ClusterBackend(client, "n1")
    with pytest.raises(RunError):
        backend.store("backend-away", lambda: True).put_if_absent_all(RUN, [("a", b"1")])
    store = backend.store("backend-away")
    assert store.put_if_absent_all(RUN, [("a", b"2")])[0].won
    backend.remove("backend-away")


def test_it_names_its_cluster_and_its_members_and_has_a_canary_in_each_partition(
    client: ClusterClient,
) -> None:
    backend = ClusterBackend(client, "n1")
    assert client.settings.name in backend.name
    assert backend.members() == [*client.settings.addresses]
    assert len({*backend.canaries}) == len(backend.canaries) > 1


@pytest.mark.parametrize("is_guarded", [True, False, None])
def test_only_a_guarded_backend_counts_the_members_before_each_call(
    client: ClusterClient, is_guarded: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: ClusterClient) -> int:
        raise StoreError("the members are not known")

    monkeypatch.setattr(ClusterClient, "seen", refuse)
    backend = ClusterBackend(client, "n1") if is_guarded is None else ClusterBackend(client, "n1", is_guarded)
    store = backend.store("backend-guarded")
    if is_guarded:
        with pytest.raises(StoreError, match="the members are not known"):
            store.get_all(RUN, ["a"])
    else:
        assert store.get_all(RUN, ["a"]) == {}


def test_a_shutdown_and_the_number_of_jobs_reach_its_connection_and_its_members(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[float, ...]] = []
    monkeypatch.setattr(client.timeout, "expedite", lambda end, left_s: heard.append((end, left_s)))
    monkeypatch.setattr(MemberHeaps, "warn_of", lambda heaps, jobs: heard.append((jobs,)))
    backend = ClusterBackend(client, "n1")
    backend.expedite(7.0, 3.0)
    backend.warn_of_jobs(50)
    assert heard == [(7.0, 3.0), (50,)]


def test_closing_it_leaves_the_cluster(client: ClusterClient) -> None:
    backend = ClusterBackend(client, "n1")
    store = backend.store("backend-closed")
    backend.close()
    with pytest.raises(ClusterError, match="not active"):
        store.get_all(RUN, ["a"])
