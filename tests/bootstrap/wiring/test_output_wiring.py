"""OutputWiring: whose rows a publisher reads, and what it asks before it changes files."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.engine.stop_time import StopTime
from scoopi.errors import AppenderError, RunError
from scoopi.model.job import JobPayload, seed_id
from scoopi.model.locator import Locator
from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.publisher import Publisher
from scoopi.publishing.run_rows import RunRows
from scoopi.store.jobs.job_records import Ending, NewJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad, NodeStatus
from scoopi.store.ports import RUN as RUN_MAP
from scoopi.store.runs.run_record import RunRecord
from tests.appenders.conftest import result_of
from tests.bootstrap.wired_run import NODE, RUN, WiredRun

OUTPUTS = (OutputSpec("data.txt", "data.txt"),)
SHARED = {"scoopi.output.durability": "shared"}
MERGED = {**SHARED, "scoopi.output.merge": "true"}
BEFORE = "2" * 16
"""Another incarnation than that of this process."""


def opened_run(tmp_path: Path, opened: ExitStack, settings: dict[str, str], is_on_nodes: bool) -> WiredRun:
    more: dict[str, Any] = {"plain_outputs": OUTPUTS} if is_on_nodes else {}
    run = WiredRun(tmp_path, opened, settings, is_on_nodes=is_on_nodes, outputs=OUTPUTS, **more)
    run.get(RunRecord).create(RUN)
    return run


def work(run: WiredRun, incarnation: str, segments: Path, *texts: str) -> None:
    """Do a job for each text as an incarnation, whose segment is in that folder."""
    jobs = JobStore(run.context.store, incarnation)
    ids = {text: seed_id("page", text, text) for text in texts}
    jobs.put([NewJob(job, "file", JobPayload(Locator(text, "page", text), job)) for text, job in ids.items()])
    results = [result_of(job) for job in jobs.take("file", len(texts))]
    writer = SegmentWriter(segments, SegmentHeader(RUN, incarnation))
    writer.open()
    writer.append([result.body for result in results])
    writer.close()
    jobs.finished.end([Ending(each.job, each.fence, each.state) for each in results])


def rows(run: WiredRun, name: str = "data.txt") -> list[str]:
    return sorted((run.context.folder.path / name).read_text().split())


@pytest.mark.parametrize("is_on_nodes", [False, True])
def test_rows_of_earlier_processes_of_a_folder_are_published_with_those_of_this_one(
    tmp_path: Path, opened: ExitStack, is_on_nodes: bool
) -> None:
    run = opened_run(tmp_path, opened, {}, is_on_nodes)
    for incarnation, text in ((BEFORE, "oat"), (NODE, "rye")):
        work(run, incarnation, run.context.folder.segments, text)
    published = run.get(Publisher).publish()
    assert rows(run) == ["oat", "rye"]
    assert (published.missing, published.rows) == ((), {"data.txt": 2})


@pytest.mark.parametrize(("is_on_nodes", "missing"), [(False, (seed_id("page", "oat", "oat"),)), (True, ())])
def test_rows_that_are_in_no_segment_of_the_folder_are_missing_unless_another_node_has_them(
    tmp_path: Path, opened: ExitStack, is_on_nodes: bool, missing: tuple[str, ...]
) -> None:
    run = opened_run(tmp_path, opened, {}, is_on_nodes)
    work(run, NODE, run.context.folder.segments, "rye")
    work(run, BEFORE, tmp_path / "elsewhere", "oat")
    assert run.get(Publisher).publish().missing == missing
    assert rows(run) == ["rye"]


def test_files_stay_as_they_are_if_the_store_has_lost_the_run(tmp_path: Path, opened: ExitStack) -> None:
    run = opened_run(tmp_path, opened, {}, is_on_nodes=False)
    work(run, NODE, run.context.folder.segments, "rye")
    run.context.store.delete_all(RUN_MAP, ["run"])
    with pytest.raises(RunError, match="the run's data is lost"):
        run.get(Publisher).publish()
    assert not (run.context.folder.path / "data.txt").exists()


def test_files_stay_as_they_are_if_no_time_is_left(tmp_path: Path, opened: ExitStack) -> None:
    run = opened_run(tmp_path, opened, {}, is_on_nodes=False)
    work(run, NODE, run.context.folder.segments, "rye")
    run.get(StopTime).begin(hard=True)
    with pytest.raises(AppenderError, match="no time was left to publish"):
        run.get(Publisher).publish()
    assert not (run.context.folder.path / "data.txt").exists()


def test_the_rows_of_one_machine_can_be_streamed(tmp_path: Path, opened: ExitStack) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as received:
        with os.fdopen(writing, "wb") as stream:
            run = WiredRun(tmp_path, opened, outputs=OUTPUTS, stream=stream)
            run.get(RunRecord).create(RUN)
            work(run, NODE, run.context.folder.segments, "rye")
            run.get(Publisher).publish()
        assert received.read() == b"rye\n"
    assert not (run.context.folder.path / "data.txt").exists()


@pytest.mark.parametrize("settings", [SHARED, MERGED])
def test_in_a_shared_folder_a_node_publishes_the_rows_that_another_one_has_left(
    tmp_path: Path, opened: ExitStack, settings: dict[str, str]
) -> None:
    run = opened_run(tmp_path, opened, settings, is_on_nodes=True)
    Membership(run.context.store, BEFORE, "bob").beat(NodeLoad(1, True, owes_rows=True), NodeStatus.LEFT)
    work(run, BEFORE, run.context.folder.node_folder.parent / "bob" / "segments", "oat")
    ended = run.get(RunRows).at_end()  # type: ignore[type-abstract]
    assert (ended.complete, ended.awaiting) == (True, ())
    written = {path.name: path.read_text() for path in run.context.folder.path.glob("data*")}
    name = "data.txt" if settings is MERGED else "data-bob.txt"
    assert written[name] == "oat\n"


def test_a_node_with_a_folder_of_its_own_leaves_the_rows_of_another_one_to_it(
    tmp_path: Path, opened: ExitStack
) -> None:
    run = opened_run(tmp_path, opened, {}, is_on_nodes=True)
    Membership(run.context.store, BEFORE, "bob").beat(NodeLoad(1, True, owes_rows=True), NodeStatus.LEFT)
    work(run, BEFORE, run.context.folder.node_folder.parent / "bob" / "segments", "oat")
    ended = run.get(RunRows).at_end()  # type: ignore[type-abstract]
    assert (ended.complete, ended.awaiting) == (False, ("bob",))
    assert rows(run) == []
