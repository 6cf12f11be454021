"""open_backend: what the settings name is opened, or what is missing is said."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ConfigError
from scoopi.model.text.store_url import parse_store_url
from scoopi.store import shared_backend
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.ports import RUN
from scoopi.store.shared_backend import open_backend


@pytest.mark.parametrize("kind", ["cluster", "database"])
def test_the_backend_that_the_settings_name_is_opened(request: pytest.FixtureRequest, kind: str) -> None:
    if kind == "cluster":
        client: ClusterClient = request.getfixturevalue("cluster")
        settings = client.settings
    else:
        url = parse_store_url(request.getfixturevalue("postgres_url"))
        settings = ClusterSettings((), store=url)
    backend = open_backend(settings, "ann")
    try:
        assert kind in backend.name
        assert bool(backend.members()) == (kind == "cluster")
        store = backend.store("opened")
        store.put_if_absent_all(RUN, [("a", b"1")])
        assert backend.store("other").get_all(RUN, ["a"]) == {}
        backend.remove("opened")
        assert backend.store("opened").get_all(RUN, ["a"]) == {}
        backend.remove("opened")
        assert len({*backend.canaries}) == len(backend.canaries) > 0
    finally:
        backend.close()


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == "psycopg" else sys.modules[name].__spec__

    monkeypatch.setattr(shared_backend, "find_spec", find)
    with pytest.raises(ConfigError, match="needs psycopg, which is not installed") as raised:
        open_backend(ClusterSettings((), store=parse_store_url("postgresql://ann:s3cret@h/d")), "ann")
    assert (raised.value.hint, "s3cret" in str(raised.value)) == ("pip install 'scoopi[sql]'", False)


def test_unless_the_caller_says_otherwise_calls_need_a_majority_and_nothing_stops_the_connecting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def connected(settings: ClusterSettings, is_stopped: Callable[[], bool]) -> tuple[object, bool]:
        return settings, is_stopped()

    def backend(client: object, node: str, is_guarded: bool) -> tuple[object, str, bool]:
        return client, node, is_guarded

    monkeypatch.setattr("scoopi.store.cluster.cluster_client.ClusterClient", connected)
    monkeypatch.setattr("scoopi.store.cluster.cluster_backend.ClusterBackend", backend)
    settings = ClusterSettings(("a:1",))
    opened: list[object] = [
        open_backend(settings, "ann"),
        open_backend(settings, "ann", lambda: True, is_guarded=False),
    ]
    assert opened == [((settings, False), "ann", True), ((settings, True), "ann", False)]
