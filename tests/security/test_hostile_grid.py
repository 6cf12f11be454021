"""Whatever stands in the maps of a cluster, a node ends in time, and says which record it cannot read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from scoopi.cli.exit_codes import code_of_error
from scoopi.errors import ScoopiError
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.runs.cluster.cluster_runs import runs_of
from scoopi.store.cluster.cluster_backend import ClusterBackend
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.ports import ENDED, HOSTS, JOBS, NODES, PAYLOADS, RUN, StoreMap
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.security.hostile_grid import KEYS, NO_TYPE, UNREGISTERED, VALUES, json_value, plant, uproot
from tests.server.server import Server

Refused = Callable[[str], None]
PLACES = {
    JOBS: "0" * 32,
    PAYLOADS: "0" * 32,
    ENDED: "0" * 32,
    HOSTS: "evil:80",
    RUN: "run",
    NODES: "f" * 16,
}


def end_of(future: Future[RunReport]) -> RunReport | BaseException:
    """A node's report, or what ended it; within the limit."""
    return future.exception(LIMIT_S) or future.result()


def is_named(end: RunReport | BaseException, place: StoreMap, key: str = "") -> bool:
    """Whether the node ended with exit code 5 and a message that names the place."""
    said = str(end)
    return isinstance(end, ScoopiError) and code_of_error(end) == 5 and f"{place}[" in said and key in said


def named_key(place: StoreMap, kind: str) -> str:
    """The key that a message names; members cannot list the keys of an indexed map with such a value."""
    return "" if place.index and kind == NO_TYPE else PLACES[place]


def is_harmless(end: RunReport | BaseException) -> bool:
    """Whether the run was done, or the node reports that its data is not whole."""
    if isinstance(end, RunReport):
        return end.status is RunStatus.DONE and list(end.rows.values()) == [1]
    return isinstance(end, ScoopiError) and code_of_error(end) == 5 and "data is lost" in str(end)


@pytest.fixture
def start(runner: NodeRunner, cluster: ClusterClient) -> Iterator[Callable[[str], Future[RunReport]]]:
    """Begins the first node of a run of that name; runs may go on beside each other."""
    runs: list[str] = []
    with ExitStack() as runners:

        def started(run: str) -> Future[RunReport]:
            one = runners.enter_context(NodeRunner.like(runner, run))
            runs.append(run)
            return one.start("ann")

        yield started
    for run in runs:  # each takes some megabytes of the member
        runs_of(ClusterBackend(cluster, "test"), "test").forget(run)


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_in_the_maps_of_a_run_ends_it_by_name_or_does_no_harm(
    attacker: Any, runner: NodeRunner, start: Callable[[str], Future[RunReport]], refused: Refused, kind: str
) -> None:
    for name, key in PLACES.items():
        plant(attacker, f"scoopi.{runner.run_name}-{name}.{name}", key, VALUES[kind])
    nodes = {name: start(f"{runner.run_name}-{name}") for name in PLACES}
    for name, node in nodes.items():
        end = end_of(node)
        assert is_harmless(end) or is_named(end, name, named_key(name, kind)), (name, end)
        refused(f"{kind} in the map {name}")
    code, out, err = runner.ask("status", "--json")
    assert (code, "Traceback" in err) == (0, False)
    assert {f"{runner.run_name}-{name}" for name in PLACES} <= {run["run"] for run in json.loads(out)["runs"]}


@pytest.mark.parametrize("place", [JOBS, HOSTS])
def test_a_value_that_was_there_before_a_try_to_join_without_an_answer_is_named_or_does_no_harm(
    attacker: Any,
    cluster: ClusterClient,
    runner: NodeRunner,
    start: Callable[[str], Future[RunReport]],
    place: StoreMap,
) -> None:
    name = f"{runner.run_name}-{place}"
    plant(attacker, f"scoopi.{name}.{place}", PLACES[place], VALUES["a number"])
    runs_of(ClusterBackend(cluster, "ann"), "ann").enter(name)  # the first write of a try
    end = end_of(start(name))
    assert is_harmless(end) or is_named(end, place, PLACES[place]), end


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_that_is_no_text_is_skipped_or_named(
    attacker: Any, runner: NodeRunner, start: Callable[[str], Future[RunReport]], refused: Refused, kind: str
) -> None:
    value = {JOBS: json_value('{"state_key":"R/file"}')}
    for name in PLACES:
        plant(
            attacker, f"scoopi.{runner.run_name}-{name}.{name}", KEYS[kind], value.get(name, bytearray(b"{}"))
        )
    nodes = {name: start(f"{runner.run_name}-{name}") for name in PLACES}
    for name, node in nodes.items():
        end = end_of(node)
        assert is_harmless(end) or (name is JOBS and is_named(end, JOBS)), (name, end)
        refused(f"a key that is {kind} in the map {name}")


@pytest.mark.parametrize("kind", ["a number", "truncated JSON", "JSON of another shape"])
def test_a_bad_record_of_another_run_stops_neither_status_nor_a_start(
    attacker: Any, runner: NodeRunner, refused: Refused, kind: str
) -> None:
    plant(attacker, "scoopi.run", "runs/evil", VALUES[kind])
    end = end_of(runner.start("ann"))
    code, out, err = runner.ask("status", "--json")
    uproot(attacker, "scoopi.run", "runs/evil")
    assert is_harmless(end), end
    assert code == 0
    assert runner.run_name in [run["run"] for run in json.loads(out)["runs"]]
    assert "run['runs/evil']" in err
    refused(f"{kind} in the registry of runs")


@pytest.mark.parametrize(
    ("run", "maps"), [("../../x", "x"), ("evil", "../x"), ("evil", "other"), ("other", "other"), ("", "")]
)
def test_a_registered_run_with_the_name_or_maps_of_something_else_is_passed_over(
    attacker: Any, runner: NodeRunner, refused: Refused, run: str, maps: str
) -> None:
    record = {"run": run, "node": "n", "maps": maps, "over": True}
    plant(attacker, "scoopi.run", "runs/evil", bytearray(json.dumps(record).encode()))
    end = end_of(runner.start("ann"))
    code, _, err = runner.ask("status")
    uproot(attacker, "scoopi.run", "runs/evil")
    assert is_harmless(end), end
    assert (code, "run['runs/evil']" in err) == (0, True)
    refused(f"a run called {run!r} in the maps {maps!r}")


def test_the_name_of_the_current_run_is_never_a_path(
    attacker: Any, runner: NodeRunner, tmp_path: Path, refused: Refused
) -> None:
    runner.run_name = ""
    (first,) = runner.run("ann")
    key = f"current/{first.run.rpartition('-')[0]}"
    record = {"run": "../../escaped", "chooser": "n", "over": False}
    plant(attacker, "scoopi.run", key, bytearray(json.dumps(record).encode()))
    end = end_of(runner.start("bob"))
    uproot(attacker, "scoopi.run", key)
    assert is_named(end, RUN, key)
    assert not (tmp_path.parent / "escaped").exists()
    refused("a current run whose name is a path")


@pytest.mark.parametrize("store_map", [JOBS])
@pytest.mark.parametrize(
    "kind", ["a number", "truncated JSON", "JSON with huge numbers", "a job of nobody", *UNREGISTERED]
)
def test_what_comes_into_the_maps_of_a_run_under_way_ends_it(
    attacker: Any, runner: NodeRunner, server: Server, refused: Refused, store_map: StoreMap, kind: str
) -> None:
    defs = runner.output.parent / "world" / "defs" / "defs.yml"
    url = server.url("/bad/slow?ms=2000")
    defs.write_text(defs.read_text(encoding="utf-8").replace("page.html", url), encoding="utf-8")
    node = runner.start("ann")
    wait_until(server.log.pages, "the first page's request", LIMIT_S)
    with suppress(Exception):  # an index may refuse it
        plant(attacker, f"scoopi.{runner.run_name}.{store_map}", PLACES[store_map], VALUES[kind])
    end = end_of(node)
    assert isinstance(end, RunReport) or is_named(end, store_map, named_key(store_map, kind)), end
    refused(f"{kind} in the map {store_map} of a run under way")
