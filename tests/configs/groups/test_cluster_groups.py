"""The settings of a cluster: addresses are checked, secrets are not shown, every key has its field."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from scoopi.configs.configs import Configs
from scoopi.configs.configs_reader import ConfigsReader
from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ConfigError

FOLDER = Path("/run")


def settings(folder: Path = FOLDER, **values: str) -> ClusterSettings:
    given = {f"scoopi.cluster.{key.replace('_', '.')}": value for key, value in values.items()}
    return ClusterSettings.of(Configs.from_composed(given), folder)


def test_without_addresses_a_run_is_solo_and_all_else_is_as_registered() -> None:
    assert settings() == ClusterSettings(())


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("10.0.0.7", ("10.0.0.7:5701",)),
        ("a.example:5702, b-1:1", ("a.example:5702", "b-1:1")),
        ("[::1]:5701", ("[::1]:5701",)),
    ],
)
def test_addresses_are_host_and_port(text: str, addresses: tuple[str, ...]) -> None:
    assert settings(addresses=text).addresses == addresses


@pytest.mark.parametrize("text", ["a:0", "a:70000", "a:b", "a,,b", "http://a:1", "::1"])
def test_what_is_no_address_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=r"scoopi\.cluster\.addresses: '.*' is not the address of a member"):
        settings(addresses=text)


@pytest.mark.parametrize("node", ["a/b", "../../a", ".hidden", "a b", "é", "x" * 65, "lost-1"])
def test_what_cannot_be_part_of_a_file_name_is_not_a_node_id(node: str) -> None:
    with pytest.raises(ConfigError, match=r"scoopi\.cluster\.node: '.*' is not a valid node id"):
        settings(node=node)


def test_each_value_reaches_the_field_of_its_own() -> None:
    values = {
        "name": "n",
        "node": "7",
        "username": "u",
        "password": "p",
        "connect_timeout": "101",
        "reconnect_timeout": "1002",
        "members": "5",
        "quorum_size": "3",
        "quorum_timeout": "4",
        "heartbeat": "105",
        "liveness_gap": "1006",
        "share_turn": "107",
    }
    found = settings(FOLDER, **values)
    others = {"tls", "call_timeout_ms", "store"}
    unlike = {field.name for field in fields(found) if getattr(found, field.name) != field.default}
    assert unlike == {field.name for field in fields(found)} - others
    numbers = (found.connect_timeout_ms, found.reconnect_timeout_ms, found.heartbeat_ms, found.share_turn_ms)
    assert numbers == (101, 1002, 105, 107)
    assert (found.quorum_size, found.quorum_timeout_s, found.liveness_gap_ms) == (3, 4, 1006)
    assert found.members == 5


def test_a_gap_has_room_for_some_heartbeats() -> None:
    assert settings(heartbeat="1000", liveness_gap="3000").liveness_gap_ms == 3000
    with pytest.raises(
        ConfigError, match="2999 ms is too short for a heartbeat every 1000 ms; set at least 3000"
    ):
        settings(heartbeat="1000", liveness_gap="2999")


def test_passwords_are_not_shown() -> None:
    found = settings(password="secret", tls_enable="true", tls_password="secret")
    assert "secret" not in repr(found)
    configs = ConfigsReader().read(
        {"scoopi.cluster.password": "${env:PASS}"}, None, {"PASS": "secret"}, Path("/nowhere")
    )
    assert configs.entry("scoopi.cluster.password").shown == "***"
    assert ClusterSettings.of(configs, FOLDER).password == "secret"


def test_a_misspelt_key_of_the_cluster_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"scoopi\.cluster\.heartbeat"):
        ConfigsReader().read({"scoopi.cluster.hartbeat": "1"}, None, {}, Path("/nowhere"))


def test_a_database_keeps_the_run_in_place_of_members_and_its_password_is_not_shown() -> None:
    found = settings(store="postgresql://ann:s3cret@db.example/shop")
    assert found.is_cluster
    assert found.addresses == ()
    assert found.store is not None
    assert found.store.shown == "postgresql://ann:***@db.example/shop"
    assert "s3cret" not in repr(found)
    read = ConfigsReader().read({"scoopi.cluster.store": found.store.text}, None, {}, FOLDER)
    assert read.entry("scoopi.cluster.store").shown == "***"
    assert "scoopi.cluster.store" not in {**read.kept(), **read.composed()}


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"store": "shop"}, "names no store"),
        ({"store": "hazelcast://h:1"}, "hazelcast://h:1 is not a database"),
        ({"store": "mysql://ann:s3cret@h/d"}, "mysql://… names no store"),
        ({"store": "postgresql://h/d", "addresses": "h:1"}, "in a database or in a cluster, not in both"),
    ],
)
def test_what_is_no_database_is_named(values: dict[str, str], what: str) -> None:
    with pytest.raises(ConfigError, match=what) as raised:
        settings(FOLDER, **values)
    assert "scoopi.cluster.store: " in str(raised.value)
    assert "s3cret" not in str(raised.value)
