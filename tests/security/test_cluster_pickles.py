"""Nobody runs code on a node, or on the machine of one who asks, through a value in the cluster."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoopi.cli.exit_codes import code_of_error
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.security.hostile_grid import Touch, plant, uproot

Refused = Callable[[str], None]


def test_the_attack_is_real_with_a_client_that_unpickles(attacker: Any, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    plant(attacker, "scoopi.x.run", "k", Touch(marker))
    attacker.get_map("scoopi.x.run").blocking().get("k").close()
    assert marker.exists()
    uproot(attacker, "scoopi.x.run", "k")


@pytest.mark.parametrize("words", [(), ("--json",)], ids=["as text", "as JSON"])
def test_status_runs_no_pickle_and_shows_the_other_runs(
    attacker: Any, runner: NodeRunner, tmp_path: Path, refused: Refused, words: tuple[str, ...]
) -> None:
    marker = tmp_path / "ran"
    runner.run("ann")
    plant(attacker, "scoopi.run", "runs/evil", Touch(marker))
    code, out, err = runner.ask("status", *words)
    uproot(attacker, "scoopi.run", "runs/evil")
    assert not marker.exists()
    assert code == 0
    assert runner.run_name in out
    assert "run['runs/evil']" in err
    assert "type -120" in err
    refused(f"a pickle in the registry of runs, read by scoopi status {' '.join(words)}")


def test_status_of_a_run_with_a_pickle_in_its_maps_names_it(
    attacker: Any, runner: NodeRunner, tmp_path: Path, refused: Refused
) -> None:
    marker = tmp_path / "ran"
    runner.run("ann")
    plant(attacker, f"scoopi.{runner.run_name}.nodes", "evil", Touch(marker))
    code, out, _ = runner.ask("status", runner.run_name, "--json")
    (run,) = json.loads(out)["runs"]
    assert not marker.exists()
    assert (code, run["phase"]) == (0, "DAMAGED")
    assert "nodes['evil']" in run["fault"]
    assert "type -120" in run["fault"]
    refused("a pickle in the heartbeats of a run, read by scoopi status")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("run", "run"),
        ("run", "composed/setup"),
        ("run", "barricade/setup"),
        ("run", "cancel"),
        ("nodes", "evil"),
    ],
)
def test_a_joining_node_runs_no_pickle_and_names_its_place(
    attacker: Any, runner: NodeRunner, tmp_path: Path, refused: Refused, name: str, key: str
) -> None:
    marker = tmp_path / "ran"
    plant(attacker, f"scoopi.{runner.run_name}.{name}", key, Touch(marker))
    error = runner.start("ann").exception(LIMIT_S)
    assert not marker.exists()
    assert error is not None
    assert code_of_error(error) == 5
    assert f"{name}['{key}']" in str(error)
    assert "type -120" in str(error)
    refused(f"a pickle under {name}/{key}, read by a joining node")
