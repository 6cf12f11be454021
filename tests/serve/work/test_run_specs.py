"""Nodes of an attempt find each other: by the name of their run, its folder, and the store of the records."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.errors import DefsError
from scoopi.model.job import RUN_NAME
from scoopi.model.schedule.process import Executes, Process
from scoopi.model.text.store_url import parse_store_url
from scoopi.serve.work.run_specs import run_name, run_settings, run_spec
from tests.serve.work.specs.supervising import ATTEMPT

PROCESS = Process(
    name="shop.books", mode="manual", executes=Executes(kind="scrape", what=("books",), nodes=2)
)


def test_the_name_of_a_run_is_valid_and_that_of_one_attempt() -> None:
    attempt = replace(ATTEMPT, process=f"shop.{'b' * 99}", slot="@2026-01-01T00:00:00Z")
    others = [
        attempt,
        replace(attempt, number=2),
        replace(attempt, slot="@2026-01-01T01:00:00Z"),
        replace(attempt, created=attempt.created + timedelta(days=1)),
    ]
    assert len({run_name(each) for each in others}) == len(others)
    assert all(RUN_NAME.fullmatch(run_name(each)) for each in others)


def test_all_nodes_have_one_name_and_one_folder_and_ids_of_their_own(tmp_path: Path) -> None:
    one, two = (run_spec(ATTEMPT, node, PROCESS, tmp_path, {"a": "b"}) for node in (1, 2))
    assert (one["name"], one["folder"]) == (two["name"], two["folder"])
    assert Path(one["folder"]).parent == tmp_path / "output/shop.books/.runs"
    assert [each["settings"]["scoopi.cluster.node"] for each in (one, two)] == ["1", "2"]
    assert one["settings"]["scoopi.output.durability"] == "shared"


def test_records_in_a_file_have_no_nodes(tmp_path: Path) -> None:
    assert run_settings(None, {}, tmp_path) == {}
    with pytest.raises(DefsError, match="2 nodes need a store that they share"):
        run_spec(ATTEMPT, 1, PROCESS, tmp_path, {})


def test_nodes_connect_to_the_store_of_the_records(tmp_path: Path) -> None:
    url = "postgresql://ann@db.example/jobs"
    assert run_settings(parse_store_url(url), {}, tmp_path) == {"scoopi.cluster.store": url}
    (tmp_path / "ca.pem").touch()
    environ = {
        "SCOOPI_CLUSTER_NAME": "prod",
        "SCOOPI_CLUSTER_TLS_CA": "ca.pem",
        "SCOOPI_CLUSTER_PASSWORD": "${env:SECRET}",
        "SECRET": "s3",
    }
    assert run_settings(parse_store_url("hazelcast://one:5701"), environ, tmp_path) == {
        "scoopi.cluster.addresses": "one:5701",
        "scoopi.cluster.name": "prod",
        "scoopi.cluster.tls.ca": str(tmp_path / "ca.pem"),
        "scoopi.cluster.password": "${env:SECRET}",
    }
