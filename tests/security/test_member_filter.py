"""Members take nothing of Java's own serialization but what they send each other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.member_config import JAVA_FILTER, MemberConfig
from tests.security.hostile_grid import attacker_of, plant, raw

ROOT = Path(__file__).parents[2]
JAVA_OBJECT = -100


def java_object(name: str) -> Any:
    """An object of a class without fields, as Java's own serialization writes it."""
    text = len(name).to_bytes(2) + name.encode()
    return raw(JAVA_OBJECT, b"\xac\xed\0\x05sr" + text + bytes(8) + b"\x02\0\0xp")


def test_a_member_builds_no_object_of_a_foreign_java_class(
    cluster: ClusterClient, refused: Callable[[str], None]
) -> None:
    from hazelcast.predicate import equal

    with attacker_of(cluster) as attacker:
        plant(attacker, "scoopi.java.run", "k", java_object("javax.management.BadAttributeValueExpException"))
        with pytest.raises(Exception, match="BadAttributeValueExpException is not allowed"):
            attacker.get_map("scoopi.java.run").blocking().values(equal("this", "x"))
        attacker.get_map("scoopi.java.run").blocking().destroy()
    refused("a Java object of a foreign class, read by a member")


@pytest.mark.parametrize(
    "file",
    [
        "conf/hazelcast.yaml",
        "k8s/base/hazelcast/hazelcast.yaml",
        "k8s/overlays/helm-hazelcast/values.yaml",
    ],
)
def test_every_configuration_that_is_shipped_has_the_filter_of_scoopi_member(file: str) -> None:
    shipped = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))
    root = shipped["hazelcast"].get("yaml", shipped)["hazelcast"]
    assert root["serialization"]["java-serialization-filter"] == JAVA_FILTER
    made = json.loads(MemberConfig().text())["hazelcast"]
    assert made["serialization"]["java-serialization-filter"] == JAVA_FILTER
