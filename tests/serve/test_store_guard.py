"""A store on another machine that anybody may write to is warned of."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.model.text.store_url import parse_store_url
from scoopi.serve.store_guard import missing_protection

CLUSTER = ClusterSettings(("far:5701",))


@pytest.mark.parametrize(
    ("url", "environ"),
    [
        ("postgresql://ann@localhost/jobs", {}),
        ("postgresql:///jobs", {}),
        ("postgresql://ann@127.0.0.1:5433/jobs", {}),
        ("postgresql://ann:secret@far/jobs", {}),
        ("postgresql://ann@far/jobs?sslmode=verify-full", {}),
        ("postgresql://ann@far/jobs", {"PGPASSWORD": "x"}),
        ("postgresql://ann@far/jobs", {"PGSSLMODE": "require"}),
        ("hazelcast://localhost:5701,127.0.0.1:5702", {}),
    ],
)
def test_a_store_that_is_near_or_guarded_is_not_warned_of(url: str, environ: dict[str, str]) -> None:
    assert missing_protection(parse_store_url(url), CLUSTER, {"HOME": "/nowhere", **environ}) == ""


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("postgresql://ann@far/jobs", "PGPASSWORD"),
        ("postgresql://ann@far/jobs?sslmode=prefer", "sslmode=verify-full"),
        ("hazelcast://localhost:5701,far:5701", "scoopi.cluster.password"),
    ],
)
def test_a_far_store_that_anybody_may_write_to_is_warned_of(url: str, hint: str) -> None:
    lack = missing_protection(parse_store_url(url), CLUSTER, {"HOME": "/nowhere"})
    assert lack.startswith(
        f"{url} has neither a password nor TLS: anybody who writes to it runs commands here"
    )
    assert hint in lack


def test_a_password_of_the_cluster_or_in_a_file_is_enough(tmp_path: Path) -> None:
    far = parse_store_url("hazelcast://far:5701")
    assert missing_protection(far, replace(CLUSTER, password="x"), {}) == ""
    (tmp_path / ".pgpass").touch()
    assert (
        missing_protection(parse_store_url("postgresql://ann@far/jobs"), None, {"HOME": str(tmp_path)}) == ""
    )


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann@{socket.gethostname()}:5432/jobs",
        "postgresql://ann@[::1]:5432/jobs",
        "postgresql://ann@[::1]/jobs",
        "postgresql://ann@localhost,127.0.0.1:5433/jobs",
    ],
)
def test_each_name_of_this_machine_is_near(url: str) -> None:
    assert missing_protection(parse_store_url(url), None, {"HOME": "/nowhere"}) == ""


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
def test_tls_is_enough_and_the_address_counts_before_the_variable(mode: str) -> None:
    far = "postgresql://ann@far/jobs"
    unguarded = {"HOME": "/nowhere"}
    assert missing_protection(parse_store_url(f"{far}?sslmode={mode}"), None, unguarded) == ""
    assert missing_protection(parse_store_url(far), None, {**unguarded, "PGSSLMODE": mode}) == ""
    url = parse_store_url(f"{far}?sslmode=disable")
    assert missing_protection(url, None, {**unguarded, "PGSSLMODE": mode}) != ""


def test_a_password_is_looked_for_in_the_query_and_in_the_named_file(tmp_path: Path) -> None:
    far = "postgresql://ann@far/jobs"
    assert missing_protection(parse_store_url(f"{far}?password=x"), None, {"HOME": "/nowhere"}) == ""
    named = {"PGPASSFILE": str(tmp_path / "mine"), "HOME": str(tmp_path)}
    (tmp_path / ".pgpass").touch()
    assert missing_protection(parse_store_url(far), None, named) != "", "libpq reads the named file only"
    (tmp_path / "mine").touch()
    assert missing_protection(parse_store_url(far), None, named) == ""


def test_one_far_host_among_near_ones_is_enough_for_the_warning() -> None:
    url = parse_store_url("postgresql://ann@localhost,far/jobs")
    lack = missing_protection(url, None, {"HOME": "/nowhere"})
    assert lack.endswith("commands here; give it a password (PGPASSWORD, ~/.pgpass) and sslmode=verify-full")
    far = parse_store_url("hazelcast://far:5701")
    hint = "commands here; set scoopi.cluster.password or scoopi.cluster.tls.*"
    assert missing_protection(far, None, {}).endswith(hint)
