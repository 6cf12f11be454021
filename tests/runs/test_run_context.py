"""RunContext: what a node knows of its run, and what the user types to continue it."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.configs.groups import ClusterSettings
from scoopi.model.limits.budget import Budget
from scoopi.model.place import Place
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.task_def import TaskDef, TaskGroup
from scoopi.model.text.store_url import parse_store_url
from scoopi.runs.composed import Composed
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_request import RunRequest
from tests.store.memory_store import MemoryStore

CLUSTER = ClusterSettings(("h1:5701", "h2:5701"), reconnect_timeout_ms=4500)
ANN, BOB = "a" * 16, "b" * 16
TASKS = (
    TaskDef("towns", "first", "town", (), place=Place("defs.yml", 3, 4)),
    TaskDef("towns", "second", "town", (), place=Place("defs.yml", 5, 6)),
)


@pytest.fixture
def context(tmp_path: Path) -> Iterator[RunContext]:
    """A run on one machine."""
    definitions = Definitions({}, {"towns": TaskGroup("towns", TASKS)}, {})
    configs = ConfigsComposer(RunRequest()).compose()
    now = datetime(2026, 1, 1, tzinfo=UTC)
    composed = Composed(definitions, (), configs.kept(), now, str(tmp_path), "defs.yml", {}, {}, "0" * 16)
    folder = NodeFolder.join(tmp_path / "output" / "my run", "ann")
    with folder:
        yield RunContext(ANN, composed.run, False, composed, configs, folder, MemoryStore([]), (), None, None)


def test_a_place_is_that_of_the_task_or_of_the_first_one_of_its_group(context: RunContext) -> None:
    assert context.place_of("towns", "second") == "defs.yml:5:6"
    assert context.place_of("towns", "gone") == "defs.yml:3:4"
    assert context.tasks_of("towns") == "first,second"


def test_on_one_machine_all_incarnations_are_this_nodes(context: RunContext) -> None:
    assert context.owns(BOB)
    assert context.store_timeout_s == 0.0


def test_in_a_cluster_a_node_owns_the_incarnations_whose_segments_it_has(context: RunContext) -> None:
    clustered = replace(context, cluster=CLUSTER)
    assert clustered.owns(ANN)
    assert not clustered.owns(BOB)
    context.folder.segments.mkdir(exist_ok=True)
    (context.folder.segments / f"{BOB}.seg").touch()
    assert clustered.owns(BOB)
    assert clustered.store_timeout_s == 4.5


def test_tables_are_beside_the_run_and_on_nodes_where_each_was_started(
    context: RunContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert context.table_folder == tmp_path
    assert replace(context, cluster=CLUSTER).table_folder == tmp_path / "elsewhere"


def test_the_command_to_resume_can_be_typed_where_the_user_is(
    context: RunContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert context.resume_command() == "scoopi resume 'output/my run'"
    assert replace(context, stream=io.BytesIO()).command("retry") == "scoopi retry 'output/my run' --output -"
    monkeypatch.chdir("/")
    assert context.resume_command() == f"scoopi resume '{tmp_path.relative_to('/')}/output/my run'"


@pytest.mark.parametrize(
    ("cluster", "words"),
    [
        (CLUSTER, "--cluster h1:5701,h2:5701"),
        (ClusterSettings(("h1:5701",), name="a b"), "--cluster h1:5701 -D scoopi.cluster.name='a b'"),
        (
            ClusterSettings((), store=parse_store_url("postgresql://ann:s3cret@h/shop")),
            "--store 'postgresql://ann:***@h/shop'",
        ),
    ],
)
def test_the_command_of_a_cluster_names_it_without_a_password(
    context: RunContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cluster: ClusterSettings, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    clustered = replace(context, cluster=cluster)
    assert clustered.command("retry") == f"scoopi retry 'output/my run' {words}"
    assert clustered.resume_command() == "the same command again, with --run 'my run'"


def test_workers_report_pages_if_they_are_logged_or_their_bytes_are_counted(
    context: RunContext, caplog: pytest.LogCaptureFixture
) -> None:
    assert not context.worker_plan().reports_pages
    with caplog.at_level(logging.INFO, "scoopi"):
        plan = context.worker_plan()
    assert (plan.reports_pages, plan.times_entries, plan.process) == (True, True, ANN)
    group = TaskGroup("towns", TASKS, budget=Budget(bytes=1000))
    definitions = replace(context.composed.definitions, task_groups={"towns": group})
    plan = replace(context, composed=replace(context.composed, definitions=definitions)).worker_plan()
    assert (plan.reports_pages, plan.times_entries) == (True, False)
