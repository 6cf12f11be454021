"""Which run a node joins, and which nodes may join it; on a real member."""

from __future__ import annotations

import io
import json
import logging
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoopi.app import Scoopi
from scoopi.cli.main import main
from scoopi.cli.terminal import Terminal
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.runs.run_request import ignore_notice
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.runs.run_registry import RunRegistry
from tests.cluster.grids import free_port
from tests.engine.workspace import Workspace
from tests.reliability.world import World, build_world

EXAMPLES = Path(__file__).parents[3] / "defs" / "examples"
PLUGINS, SCRIPTS = EXAMPLES / "python-plugins", EXAMPLES / "scripts"
LIMIT_S = 40.0


@dataclass(frozen=True)
class Town:
    """A cluster, and a folder in which nodes begin."""

    cluster: ClusterClient
    folder: Path
    world: World

    @property
    def settings(self) -> dict[str, str]:
        reached = self.cluster.settings
        return {
            "scoopi.cluster.addresses": ",".join(reached.addresses),
            "scoopi.cluster.name": reached.name,
            "scoopi.cluster.heartbeat": "100",
            "scoopi.monitor.timerPeriod": "100",
            "scoopi.datastore.path": str(self.folder / "kept"),
        }

    def node(
        self,
        output: str,
        run: str | None = None,
        defs: Path | None = None,
        changes: Mapping[str, str] | None = None,
        notify: Callable[[str], object] = ignore_notice,
    ) -> RunReport:
        """A node with an output folder of its own, to its end."""
        given = {**self.settings, **(changes or {})}
        return Scoopi(
            defs or self.world.defs,
            given,
            output=self.folder / output,
            environ={},
            run_name=run,
            notify=notify,
        ).run()

    def says(self, run: str, defs: Path, *words: str) -> tuple[int, str]:
        """Exit code and messages of a node's command line."""
        err = io.StringIO()
        given = [word for key, value in self.settings.items() for word in ("-D", f"{key}={value}")]
        place = ["--output", str(self.folder / "other"), "--run", run, "--workers", "0"]
        return main(
            ["run", str(defs), *place, *given, *words], Terminal(io.StringIO(), err, {})
        ), err.getvalue()


@pytest.fixture
def town(tmp_path: Path, cluster: ClusterClient) -> Town:
    return Town(cluster, tmp_path, build_world(tmp_path / tmp_path.name, shelves=3, packets=2))


def test_a_node_with_other_definitions_says_so_and_stops(town: Town) -> None:
    done = town.node("mine", "other-definitions")
    defs = town.folder / "changed"
    shutil.copytree(town.world.defs, defs)
    (file,) = defs.glob("*.yml")
    file.write_text(file.read_text().replace("indexRange: 2-4", "indexRange: 2-3"))
    code, said = town.says("other-definitions", defs)
    assert code == 3
    assert f"{defs}: this node's definitions or plugins are not those of the run" in said
    assert f"give it those of {town.world.defs}, or another --run" in said
    assert list((town.folder / "other").glob("*/data*")) == []
    assert done.rows == {next(iter(done.rows)): town.world.rows.total()}


@pytest.mark.parametrize(
    ("example", "files", "more"), [(PLUGINS, "plugins/*.py", "# more"), (SCRIPTS, "scripts/*.js", "// more")]
)
def test_a_node_with_another_plugin_or_script_says_so_and_stops(
    town: Town, example: Path, files: str, more: str
) -> None:
    town.node("mine", f"other-{example.name}", example)
    defs = town.folder / "changed"
    shutil.copytree(example, defs)
    assert town.says(f"other-{example.name}", defs)[0] == 0, "where they lie is all the same"
    for file in defs.glob(files):
        file.write_text(f"{file.read_text()}\n{more}\n")
    code, said = town.says(f"other-{example.name}", defs)
    assert code == 3
    assert "definitions or plugins are not those of the run" in said


def test_a_given_setting_that_may_change_rows_must_be_the_runs(town: Town) -> None:
    town.node("mine", "other-setting")
    code, said = town.says("other-setting", town.world.defs, "-D", "scoopi.fact.notFound.replaceWith=none")
    assert code == 3
    assert "scoopi.fact.notFound.replaceWith is 'none', but the run has 'not found'" in said


def test_of_a_given_setting_that_all_nodes_share_the_runs_value_counts(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    town.node("mine", "shared-setting")
    with caplog.at_level(logging.WARNING):
        town.node("other", "shared-setting", changes={"scoopi.cluster.heartbeat": "300"})
    (warning,) = [each for each in caplog.messages if "scoopi.cluster.heartbeat" in each]
    assert warning.endswith("is '300', but the run has '100'; the run's value counts")


def test_nodes_without_a_name_that_start_together_agree_on_one_and_the_next_run_has_another(
    town: Town,
) -> None:
    together = {"scoopi.cluster.quorum.size": "3"}
    with ThreadPoolExecutor(3) as pool:
        nodes = [pool.submit(town.node, f"out-{number}", changes=together) for number in range(3)]
        first = [node.result(LIMIT_S) for node in nodes]
    (name,) = {report.run for report in first}
    assert name.startswith("defs-")
    rows: Counter[str] = Counter()
    for file in town.folder.glob(f"out-*/{name}/data-*.txt"):
        rows.update(file.read_text(encoding="utf-8").splitlines())
    assert rows == town.world.rows
    later = town.node("out-0")
    assert (later.status, later.publish_note) == (RunStatus.DONE, "")
    assert later.run != name
    assert sum(later.rows.values()) == town.world.rows.total()


def test_nodes_that_share_a_folder_have_each_a_view_and_a_file_of_their_own(town: Town) -> None:
    together = {"scoopi.cluster.quorum.size": "2"}
    with ThreadPoolExecutor(2) as pool:
        nodes = [
            pool.submit(town.node, "out", "one-folder", changes={**together, "scoopi.cluster.node": node})
            for node in ("ann", "bob")
        ]
        reports = {next(iter(report.rows)): report for report in (node.result(LIMIT_S) for node in nodes)}
    folder = town.folder / "out" / "one-folder"
    assert {path.name for path in folder.iterdir()} == {
        ".scoopi",
        "run.json",
        "data-ann.txt",
        "data-bob.txt",
    }
    views = {node: json.loads((folder / f".scoopi/{node}/run.json").read_bytes()) for node in ("ann", "bob")}
    for node, view in views.items():
        report = reports[f"data-{node}.txt"]
        assert (view["status"], view["rows"], view["jobs"]["done"]) == ("done", report.rows, report.jobs.done)
    assert sum(view["jobs"]["done"] for view in views.values()) == town.world.jobs
    assert json.loads((folder / "run.json").read_bytes()) in views.values()


def test_a_node_whose_part_of_the_data_is_lost_does_not_join_the_run(town: Town) -> None:
    town.node("mine", "torn")
    kept = town.cluster.map("scoopi.torn.run")
    canary = next(key for key in kept.key_set().result() if key.startswith("canary/"))
    kept.delete(canary).result()
    code, said = town.says("torn", town.world.defs)
    assert code == 5
    assert "the cluster no longer holds all of the run torn: its data is lost" in said


def test_a_name_that_returns_when_the_run_record_has_ended_begins_a_run_of_its_own(town: Town) -> None:
    town.node("mine", "nightly")
    town.cluster.map("scoopi.nightly.run").clear().result()
    again = town.node("elsewhere", "nightly")
    assert (again.status, again.publish_note) == (RunStatus.DONE, "")
    assert again.rows == {next(iter(again.rows)): town.world.rows.total()}


def test_a_node_that_comes_in_the_instant_when_the_retention_ends_begins_a_run_of_its_own(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.node("mine", "ending")
    enter = RunRegistry.enter

    def ends_then(registry: RunRegistry, run: str, keep_s: int) -> tuple[str, bool]:
        maps, over = enter(registry, run, keep_s)
        if over:
            town.cluster.map(f"scoopi.{maps}.run").clear().result()
        return maps, over

    monkeypatch.setattr(RunRegistry, "enter", ends_then)
    again = town.node("elsewhere", "ending")
    assert (again.status, again.publish_note) == (RunStatus.DONE, "")
    assert again.rows == {next(iter(again.rows)): town.world.rows.total()}


@pytest.mark.parametrize(("owner", "node"), [("another-machine", ""), (socket.gethostname(), "ann")])
def test_a_run_that_another_node_has_not_seen_over_does_not_keep_this_one_from_the_next(
    town: Town, owner: str, node: str
) -> None:
    changes = {"scoopi.cluster.node": node}
    first = town.node("out", changes=changes)
    (file,) = town.folder.glob(f"out/{first.run}/.scoopi/*/node.json")
    other = file.parents[1] / "zoe"
    other.mkdir()
    said = json.loads(file.read_bytes()) | {"owner": owner, "over": False}
    (other / "node.json").write_text(json.dumps(said))
    later = town.node("out", changes=changes)
    assert later.run != first.run
    assert later.publish_note == ""


@pytest.mark.parametrize("node", ["", "ann"])
def test_a_node_that_crashed_in_a_run_that_is_over_publishes_its_rows_and_goes_on_with_the_next_run(
    town: Town, node: str
) -> None:
    changes, reported = {"scoopi.cluster.node": node}, list[str]()
    first = town.node("out", changes=changes)
    (state,) = town.folder.glob(f"out/{first.run}/.scoopi/*/node.json")
    state.write_text(json.dumps(json.loads(state.read_bytes()) | {"over": False}))
    (file,) = town.folder.glob(f"out/{first.run}/data-*.txt")
    file.unlink()
    later = town.node("out", changes=changes, notify=reported.append)
    assert Counter(file.read_text(encoding="utf-8").splitlines()) == town.world.rows
    assert later.run != first.run
    assert (later.status, later.publish_note) == (RunStatus.DONE, "")
    assert sum(later.rows.values()) == town.world.rows.total()
    rows = town.world.rows.total()
    assert f"run {first.run} was over: its {rows} rows of this node are published now" in reported


def test_members_that_cannot_be_reached_are_named_each(town: Town) -> None:
    ports = [free_port(), free_port()]
    addresses = ",".join(f"127.0.0.1:{port}" for port in ports)
    unreachable = ["-D", "scoopi.cluster.connect.timeout=200", "--cluster", addresses]
    code, said = town.says("nowhere", town.world.defs, *unreachable)
    assert code == 5
    for port in ports:
        assert f"127.0.0.1:{port} cannot be reached (Connection refused)" in said
    assert "start a member (scoopi member)" in said
    assert "Traceback" not in said


def test_a_name_that_can_be_no_folder_is_wrong_usage(town: Town) -> None:
    # No member is there: the name is checked before the cluster is asked.
    code, said = town.says("../up", town.world.defs, "--cluster", "127.0.0.1:1")
    assert code == 2
    assert "invalid run name '../up'" in said


def test_a_node_whose_folder_is_on_a_volume_without_file_locks_is_not_said_to_run_already(
    town: Town,
) -> None:
    given = [word for key, value in town.settings.items() for word in ("-D", f"{key}={value}")]
    for node in ("ann", ""):
        words = ["run", town.world.defs, "--run", "locks", *given, "-D", f"scoopi.cluster.node={node}"]
        ended = Workspace(town.folder).process(*words, lockless=True)
        assert ended.code == 5
        assert "the volume does not support file locks: No locks available" in ended.err, ended.err
        assert "still running" not in ended.err
