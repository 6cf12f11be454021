"""Keys that are serialized and hashed once are to the grid what plain ones are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from scoopi.store.cluster.cluster_client import ClusterClient, client_class
from scoopi.store.cluster.foreign_values import ForeignValue
from scoopi.store.ports import RUN
from tests.cluster.grids import new_run, plain_client

INTEGER = -7
"""As Hazelcast numbers types."""
KEYS = ("", "a", "j1", "0123456789abcdef0123456789abcdef", "shop.example:443", "ümläut", "grin 😀", "~")


@pytest.mark.parametrize("key", KEYS)
def test_a_key_goes_to_the_partition_that_the_client_names(cluster: ClusterClient, key: str) -> None:
    with plain_client(cluster) as plain:
        partition_of = plain.partition_service.get_partition_id
        assert partition_of(cluster.keys().of(key)) == partition_of(key)


def test_what_is_put_under_it_is_found_under_the_plain_key_and_back(cluster: ClusterClient) -> None:
    with new_run(cluster) as store:
        plain: Any = cluster.map(f"{store.prefix}.{RUN}")
        store.put_if_absent_all(RUN, [(key, b"sent") for key in KEYS])
        assert {
            key: bytes(value) for key, value in plain.get_all(list(KEYS)).result().items()
        } == dict.fromkeys(KEYS, b"sent")
        plain.put("plain", bytearray(b"value")).result()
        assert store.get_all(RUN, ["plain", *KEYS])["plain"] == b"value"
        store.delete_all(RUN, KEYS)
        assert plain.key_set().result() == ["plain"]


def test_so_many_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    client_class()  # imports what `grid_values` needs
    from scoopi.store.cluster.grid_values import GridKeys

    monkeypatch.setattr("scoopi.store.cluster.grid_values.MOST", 3)
    keys = GridKeys(lambda key: SimpleNamespace(buffer=bytearray(f"\0\0\0\0 {key}".encode())))
    first = keys.of("a")
    assert keys.of("a") is first
    for key in "bcd":
        keys.of(key)
    assert len(keys) == 1
    assert keys.of("a") == first
    assert keys.of("a") is not first


def test_a_value_of_another_type_stays_serialized(cluster: ClusterClient) -> None:
    with new_run(cluster) as store:
        plain: Any = cluster.map(f"{store.prefix}.{RUN}")
        plain.put("number", 5).result()
        assert plain.get("number").result() == ForeignValue(INTEGER, b"\0\0\0\5")


@pytest.mark.parametrize("type_id", [0, -8, -11, -12, -130])
def test_nothing_counts_text_bytes_and_json_are_read(type_id: int) -> None:
    assert read_as(type_id) == "read"


@pytest.mark.parametrize("type_id", [-1, -7, -9, -10, -13, -29, -120, -129, -131, 1, 8, 7_235_001, -(2**31)])
def test_values_of_all_other_types_are_neither_read_nor_built(type_id: int) -> None:
    assert read_as(type_id) == ForeignValue(type_id, b"v" * 40), "by its first bytes"


def read_as(type_id: int) -> object:
    """What a client gives for a value of this type of Hazelcast's."""
    client_class()  # imports what `grid_values` needs
    from hazelcast.serialization.data import Data

    from scoopi.store.cluster.grid_values import PICKLE, read_own_types_only

    registry = SimpleNamespace(_id_dict={PICKLE: None}, _python_serializer=None)
    service: Any = SimpleNamespace(_registry=registry, to_object=lambda data: "read")
    read_own_types_only(SimpleNamespace(_serialization_service=service))
    kind: Any = Data
    return service.to_object(kind(bytes(4) + type_id.to_bytes(4, "big", signed=True) + b"v" * 1000))
