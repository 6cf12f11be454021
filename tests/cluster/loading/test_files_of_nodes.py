"""Nodes that download files: rows and files come out once, together; on a real member."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.model.report.run_report import RunStatus
from tests.cluster.node_runner import LIMIT_S, NodeRunner
from tests.engine.workspace import wait_until
from tests.reliability.file_rounds import FileWorld, compare_files
from tests.reliability.process import ScoopiProcess
from tests.reliability.world import World

PAGES = 6
POLITE = {
    "scoopi.loader.robots": "false",
    "scoopi.loader.fetch.errorDelay": "0",
    "scoopi.retry.delay": "20",
    "scoopi.retry.attempts": "50",
}
SLOW = {"scoopi.loader.fetch.delay": "20", "scoopi.loader.fetch.parallelism": "1"}
SHARED = {**POLITE, "scoopi.output.durability": "shared"}
MERGED = {**SHARED, "scoopi.output.merge": "true"}

RunnerOf = Callable[..., NodeRunner]


@pytest.fixture
def world(files: FileWorld) -> World:
    return files.write()


@pytest.mark.parametrize("settings", [SHARED, MERGED], ids=["shared", "merged"])
def test_nodes_in_one_folder_publish_each_row_and_file_once(
    runner_of: RunnerOf, files: FileWorld, settings: dict[str, str]
) -> None:
    runner = runner_of(**settings)
    reports = runner.run("ann", "bob")
    assert [report.status for report in reports] == [RunStatus.DONE] * 2
    compare_files(runner.folder, files.rows(), whole=True)


def test_each_node_has_the_files_of_its_own_rows(runner_of: RunnerOf, files: FileWorld) -> None:
    ann, bob = runner_of("of-ann", **POLITE), runner_of("of-bob", **POLITE)
    for future in (ann.start("ann"), bob.start("bob")):
        assert future.result(LIMIT_S).status is RunStatus.DONE
    compare_files(ann.folder, files.rows(), whole=False)
    compare_files(bob.folder, files.rows(), whole=False)
    outputs = [path for runner in (ann, bob) for path in runner.folder.glob("*.jsonl")]
    rows = sum(len(path.read_text().splitlines()) for path in outputs)
    assert rows == len(files.rows())


def test_files_of_a_node_that_is_killed_are_published_by_another(
    runner_of: RunnerOf, files: FileWorld, tmp_path: Path
) -> None:
    runner = runner_of(**{**SHARED, **SLOW})
    # So seldom does ann ask that it is far from its end when it has two frames, also on a slow machine.
    ann = ScoopiProcess(runner.arguments("ann", loader_fetch_delay="40"), tmp_path)
    try:
        segments = runner.folder / ".scoopi" / "ann" / "segments"
        wait_until(
            lambda: sum(file.stat().st_size for file in segments.glob("*.seg")) > 2500, "rows", LIMIT_S
        )
        ann.signal(signal.SIGKILL)
        assert ann.wait(LIMIT_S) == -signal.SIGKILL
    finally:
        ann.kill_all()
    (report,) = runner.run("bob")
    assert (report.status, report.missing) == (RunStatus.DONE, ())
    compare_files(runner.folder, files.rows(), whole=True)
    assert [*runner.folder.glob("cards-ann.jsonl")], "the dead node had ended jobs"


def test_a_path_that_nodes_could_give_to_two_contents_is_refused(runner_of: RunnerOf, world: World) -> None:
    text = world.defs.read_text()
    world.defs.write_text(text.replace("%{sha256}", "%{name}"))
    with pytest.raises(Exception, match="two nodes of a cluster may save different files at this path"):
        runner_of(**POLITE).run("ann")
