"""MemberConfig: where Java and the jar are found, and what a member for development is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoopi.errors import ClusterError
from scoopi.store.cluster.member_config import (
    FIRST_PORT,
    MAJORITY,
    NEIGHBOURS,
    VERSION,
    MemberConfig,
    find_jar,
    find_java,
)

EXAMPLE = Path(__file__).parents[3] / "conf" / "hazelcast.yaml"


def program(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_java_is_that_of_java_home_before_that_of_path(tmp_path: Path) -> None:
    home, path = program(tmp_path / "home/bin/java"), program(tmp_path / "path/java")
    environ = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(path.parent)}
    assert find_java(environ) == home
    assert find_java({"PATH": str(path.parent)}) == path


def test_without_java_it_is_said_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="none in JAVA_HOME or PATH"):
        find_java({"PATH": str(tmp_path)})
    with pytest.raises(ClusterError, match="JAVA_HOME has no program bin/java"):
        find_java({"JAVA_HOME": str(tmp_path), "PATH": str(tmp_path)})


def jar(home: Path, version: str) -> Path:
    path = home / f".m2/repository/com/hazelcast/hazelcast/{version}/hazelcast-{version}.jar"
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def test_a_jar_that_is_named_is_taken_and_must_be_there(tmp_path: Path) -> None:
    named = tmp_path / "own.jar"
    environ = {"SCOOPI_HAZELCAST_JAR": str(named), "HOME": str(tmp_path)}
    jar(tmp_path, "5.7.0")
    with pytest.raises(ClusterError, match="there is no such file"):
        find_jar(environ)
    named.touch()
    assert find_jar(environ) == named


def test_the_newest_jar_of_the_supported_series_is_taken(tmp_path: Path) -> None:
    for version in ("5.6.9", "5.7.2", "5.8.0"):
        jar(tmp_path, version)
    newest = jar(tmp_path, "5.7.10")
    assert find_jar({"HOME": str(tmp_path), "PATH": ""}) == newest


def test_a_jar_that_is_missing_is_fetched_by_maven(tmp_path: Path) -> None:
    target = tmp_path / f".m2/repository/com/hazelcast/hazelcast/{VERSION}/hazelcast-{VERSION}.jar"
    program(tmp_path / "bin/mvn", f'echo "$@" > {tmp_path}/asked; mkdir -p {target.parent}; touch {target}')
    assert find_jar({"HOME": str(tmp_path), "PATH": f"{tmp_path}/bin:/usr/bin:/bin"}) == target
    asked = (tmp_path / "asked").read_text().split()
    assert f"-Dartifact=com.hazelcast:hazelcast:{VERSION}" in asked
    assert f"-Dmaven.repo.local={tmp_path}/.m2/repository" in asked


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (None, "there is no mvn in PATH to fetch it"),
        ("echo; echo 'no network' >&2; exit 1", "mvn could not fetch it: no network"),
        ("exit 3", "mvn could not fetch it: exit 3"),
    ],
)
def test_a_jar_that_cannot_be_fetched_is_an_error_that_says_why(
    tmp_path: Path, script: str | None, why: str
) -> None:
    if script is not None:
        program(tmp_path / "bin/mvn", script)
    with pytest.raises(ClusterError) as raised:
        find_jar({"HOME": str(tmp_path), "PATH": f"{tmp_path}/bin"})
    assert why in raised.value.what
    assert "SCOOPI_HAZELCAST_JAR" in raised.value.hint


def network(config: MemberConfig) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(config.text())["hazelcast"]["network"]
    return made


def test_without_a_port_the_first_free_one_is_taken_and_neighbours_are_looked_for() -> None:
    made = network(MemberConfig())
    assert made["port"] == {"port": FIRST_PORT, "auto-increment": True, "port-count": 100}
    members = made["join"]["tcp-ip"]["member-list"]
    assert members == [f"127.0.0.1:{FIRST_PORT + number}" for number in range(NEIGHBOURS)]


def test_a_port_is_taken_or_nothing_and_one_apart_has_no_neighbours() -> None:
    made = network(MemberConfig(port=6000, host="10.0.0.1"))
    assert made["port"]["auto-increment"] is False
    assert made["join"]["tcp-ip"]["member-list"] == ["10.0.0.1:6000"]
    assert len(network(MemberConfig(port=FIRST_PORT))["join"]["tcp-ip"]["member-list"]) == NEIGHBOURS


def test_named_members_are_joined_and_none_is_found_by_itself() -> None:
    join = network(MemberConfig(join=("a:1", "b:2")))["join"]
    assert join["tcp-ip"] == {"enabled": True, "member-list": ["a:1", "b:2"]}
    assert not join["multicast"]["enabled"]
    assert not join["auto-detection"]["enabled"]


@pytest.mark.parametrize(("members", "least"), [(1, None), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_calls_are_refused_without_a_majority_of_the_members(members: int, least: int | None) -> None:
    config = MemberConfig() if members == 1 else MemberConfig(members=members)
    root = json.loads(config.text())["hazelcast"]
    protection, of_maps = root["split-brain-protection"], root["map"]["scoopi.*"]
    if least is None:
        assert protection == {}
        assert "split-brain-protection-ref" not in of_maps
    else:
        assert protection == {MAJORITY: {"enabled": True, "minimum-cluster-size": least}}
        assert of_maps["split-brain-protection-ref"] == MAJORITY


def test_a_member_ends_gracefully_and_reports_to_nobody() -> None:
    options = MemberConfig(heap="1g", host="10.0.0.1").options(Path("/etc/own.yaml"))
    for option in (
        "-Xmx1g",
        "-Dhazelcast.config=/etc/own.yaml",
        "-Dhazelcast.local.localAddress=10.0.0.1",
        "-Dhazelcast.shutdownhook.policy=GRACEFUL",
        "-Dhazelcast.phone.home.enabled=false",
    ):
        assert option in options


@pytest.mark.parametrize(
    ("config", "is_set"),
    [
        (MemberConfig(), False),
        (MemberConfig(port=6000), False),
        (MemberConfig(file=Path("own.yaml")), False),
        (MemberConfig(file=Path("own.yaml"), port=6000), True),
    ],
)
def test_the_port_of_a_given_configuration_is_overridden_only_if_one_is_asked_for(
    config: MemberConfig, is_set: bool
) -> None:
    options = config.options(Path("own.yaml"))
    assert ("-Dhz.network.port.port=6000" in options) is is_set
    assert ("-Dhz.network.port.auto-increment=false" in options) is is_set


def test_java_objects_of_other_libraries_are_not_built() -> None:
    root = json.loads(MemberConfig().text())["hazelcast"]
    assert root["serialization"]["java-serialization-filter"] == {
        "defaults-disabled": True,
        "whitelist": {"prefix": ["[", "com.hazelcast.", "java.lang.", "java.util."]},
    }


def test_a_member_for_development_keeps_maps_and_notices_deaths_as_the_example_for_a_cluster() -> None:
    example = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))["hazelcast"]
    made: dict[str, Any] = json.loads(MemberConfig(members=3).text())["hazelcast"]
    of_maps = {**example["map"]["scoopi.*"], "metadata-policy": "OFF"}  # which YAML reads as a boolean
    assert made["map"]["scoopi.*"].items() <= of_maps.items()
    for of_members in ("heartbeat.", "max.no.heartbeat.", "merge.", "operation."):
        name = f"hazelcast.{of_members}"
        set_here, set_there = (
            {key: str(value).lower() for key, value in each["properties"].items() if key.startswith(name)}
            for each in (made, example)
        )
        assert set_here == set_there != {}
    assert made["network"]["port"]["port-count"] == example["network"]["port"]["port-count"]
