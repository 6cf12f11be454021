"""RunJoining: which run a node joins, composed once for all of its nodes, and which nodes it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, ConfigError, DefsError, RunError
from scoopi.metrics.node_view import JoiningNode
from scoopi.model.report.run_report import RunReport
from scoopi.model.scrape.definitions import Definitions
from scoopi.outputs.output_spec import OutputSpec
from scoopi.runs.cluster.cluster_runs import runs_of
from scoopi.runs.cluster.run_joining import RunJoining
from scoopi.runs.composed import Composed
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_request import RunRequest
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.store.ports import RUN as RUN_MAP
from scoopi.store.runs.run_record import RunCancel, RunPhase, RunRecord
from tests.runs.cluster.file_backend import FileBackend

RUN = "shop"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
QUICK = {"scoopi.cluster.heartbeat": "100", "scoopi.cluster.liveness.gap": "2000"}
OUTPUTS = (OutputSpec("towns", "towns.csv"),)


class Town:
    """Nodes that join, each with an output folder of its own unless they share one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.backend = FileBackend(folder)
        self.notices: list[str] = []
        self.waiting = JoiningNode()
        self.opened = ExitStack()

    def joined(
        self,
        node: str,
        output: str = "",
        run: str | None = RUN,
        discard_lost: bool = False,
        **given: str,
    ) -> RunContext:
        """The run as this node has it."""
        found = self.join(node, output, run, discard_lost=discard_lost, **given)
        assert isinstance(found, RunContext)
        return found

    def join(
        self,
        node: str,
        output: str = "",
        run: str | None = RUN,
        digest: str = "d1",
        discard_lost: bool = False,
        **given: str,
    ) -> RunContext | RunReport:
        changes = {f"scoopi.{key.replace('__', '.')}": value for key, value in given.items()}
        request = RunRequest(
            defs=Path("books"),
            run=run,
            output=self.folder / (output or node),
            overrides={**QUICK, **changes},
            discard_lost=discard_lost,
            notify=self.notices.append,
        )
        configs = ConfigsComposer(request).compose()
        settings = ClusterSettings.of(configs, self.folder)
        definitions = Definitions({}, {}, {}, digest)
        kept = {key: entry.text or "" for key, entry in configs.given.items()}
        mine = Composed(definitions, (), kept, NOW, "/", "/home/ann/books", {}, {}, node)
        joining = RunJoining(request, settings, node, self.waiting)
        return joining.join(self.backend, self.opened, mine, configs, OUTPUTS)

    def record(self) -> RunRecord:
        maps = runs_of(self.backend, "test").maps(RUN)
        assert maps is not None
        return RunRecord(self.backend.store(maps), "test")


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    town = Town(tmp_path)
    with town.opened:
        yield town
    town.backend.close()


def test_the_first_node_composes_the_run_and_the_others_take_what_it_composed(town: Town) -> None:
    first, second = town.joined("n1"), town.joined("n2")
    assert first.run == second.run == "n1"
    assert first.composed == second.composed
    assert first.folder.node != second.folder.node
    assert [each.was_over for each in (first, second)] == [False, False]
    assert town.notices == [f"run {RUN}, node {each.folder.node}" for each in (first, second)]


def test_nodes_without_a_name_of_a_run_agree_on_one(town: Town) -> None:
    first, second = town.joined("n1", run=None), town.joined("n2", run=None)
    assert first.folder.path.name == second.folder.path.name
    assert first.folder.path.name.startswith("books-")


def test_each_node_writes_files_of_its_own_unless_one_merges_them(town: Town) -> None:
    merged = town.joined("n1", output__merge="true")
    apart = town.joined("n2", run="apart", output__merge="false")
    assert [spec.file for spec in merged.outputs] == ["towns.csv"]
    assert [spec.file for spec in apart.outputs] == [f"towns-{apart.folder.node}.csv"]
    assert merged.plain_outputs == apart.plain_outputs == OUTPUTS


def test_a_node_with_other_definitions_is_refused(town: Town) -> None:
    town.joined("n1")
    with pytest.raises(DefsError, match="definitions or plugins are not those of the run") as refused:
        town.join("n2", digest="d2")
    assert "another --run" in (refused.value.hint or "")


def test_a_shared_setting_is_that_of_the_run_and_the_difference_is_logged(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    town.joined("n1", loader__fetch__delay="10")
    second = town.joined("n2", loader__fetch__delay="20")
    assert second.configs.text("scoopi.loader.fetch.delay") == "10"
    assert "scoopi.loader.fetch.delay is '20', but the run has '10'" in caplog.text


def test_a_setting_of_the_run_that_differs_is_an_error_where_the_definitions_differ_by_it(town: Town) -> None:
    town.joined("n1", fact__notFound__replaceWith="none")
    with pytest.raises(ConfigError, match="but the run has") as refused:
        town.join("n2", digest="d2", fact__notFound__replaceWith="missing")
    assert "the same settings" in (refused.value.hint or "")


def test_a_node_that_comes_when_the_run_is_over_takes_what_was_composed(town: Town) -> None:
    town.joined("n1")
    record = town.record()
    for move in (record.mark_seeded, record.to_ending, record.to_over):
        move()
    late = town.joined("n2")
    assert (late.was_over, late.run) == (True, "n1")
    state = town.record().read()
    assert state is not None
    assert state.phase is RunPhase.OVER


def test_a_node_waits_until_enough_are_there(town: Town) -> None:
    with pytest.raises(ClusterError, match="1 of 2 nodes"):
        town.join("n1", cluster__quorum__size="2", cluster__quorum__timeout="1")
    assert any("1 of 2 nodes are there" in notice for notice in town.notices)
    assert "1 of 2 nodes" in town.waiting.unready()


def test_a_composed_run_waits_for_no_quorum(town: Town) -> None:
    town.joined("n1")
    town.joined("n2", cluster__quorum__size="9", cluster__quorum__timeout="1")


def test_a_run_of_which_the_cluster_lost_a_part_is_refused_until_it_may_be_discarded(town: Town) -> None:
    town.joined("n1")
    town.backend.store(RUN).delete_all(RUN_MAP, ["canary"])
    with pytest.raises(RunError, match="no longer holds all of the run shop") as refused:
        town.join("n2")
    assert "--discard-lost" in (refused.value.hint or "")
    again = town.joined("n3", discard_lost=True)
    assert again.run == "n3"
    assert town.backend.removed == [RUN]


def test_a_folder_with_rows_of_a_run_that_the_cluster_does_not_know_is_refused(
    town: Town, tmp_path: Path
) -> None:
    town.joined("n1", output="shared")
    town.opened.close()
    town.backend = FileBackend(tmp_path / "other")
    town.backend.folder.mkdir()
    with pytest.raises(RunError, match="the cluster does not know the run that rows here"):
        town.join("n2", output="shared")


def test_what_is_cancelled_after_a_node_has_joined_is_cancelled_for_it(town: Town) -> None:
    joined = town.joined("n1")
    assert joined.cancel is not None
    assert not joined.cancel.is_asked()
    RunCancel(joined.store, "somebody").ask()
    assert joined.cancel.is_asked()


def test_a_node_that_beats_is_a_member_of_the_joined_run(town: Town) -> None:
    first, second = town.joined("n1"), town.joined("n2")
    Membership(first.store, "n1", first.folder.node).beat(NodeLoad(0, True))
    members = Membership(second.store, "n2", second.folder.node).read()
    assert [each.node for each in members.values()] == [first.folder.node]
