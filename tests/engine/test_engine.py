"""Engine: how a node's part of a run ends, whatever ends it; over all its parts but the worker."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from injector import Injector

from scoopi.bootstrap.wiring.modules import run_modules
from scoopi.engine.engine import Engine
from scoopi.errors import RunError
from scoopi.mediator.workers.worker_link import WorkerLink
from scoopi.model.report.run_report import RunReport, RunStatus
from scoopi.model.scrape.locator_def import LocatorDef, LocatorGroup
from scoopi.runs.composed import packed_locators
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.runs.run_record import RunRecord
from scoopi.worker.messages import Stop
from tests.bootstrap.wired_run import context_of
from tests.mediator.played_node import PlayedWorker

LIMIT_S = 60.0
PAGES = LocatorGroup("page", (LocatorDef("one", "one.html"),))


class Node:
    """The engine of a run with one page."""

    def __init__(self, folder: Path, opened: ExitStack, launch: Callable[[], WorkerLink]) -> None:
        self.notices: list[str] = []
        (folder / "one.html").write_text("<h1>Rye</h1>")
        context = context_of(folder, opened, {"scoopi.workers": "1", "scoopi.shutdown.timeout": "20"})
        composed = msgspec.structs.replace(context.composed, locators=packed_locators([PAGES]))
        context = msgspec.structs.replace(context, composed=composed, notify=self.notices.append)
        RunRecord(context.store, context.node).create(context.run)
        graph = Injector(run_modules(context, launch), auto_bind=False)
        self.engine, self.jobs = graph.get(Engine), graph.get(JobStore)
        self._folder = context.folder.path
        self._reports: list[RunReport] = []
        self._thread = threading.Thread(target=lambda: self._reports.append(self.engine.run()))

    def run_json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self._folder / "run.json").read_bytes())
        return found

    def start(self) -> None:
        """Run beside the test."""
        self._thread.start()

    def ended(self) -> RunReport:
        """Wait for the end of the run."""
        self._thread.join(LIMIT_S)
        (report,) = self._reports
        return report


@pytest.fixture
def worker() -> PlayedWorker:
    return PlayedWorker()


@pytest.fixture
def node(tmp_path: Path, opened: ExitStack, worker: PlayedWorker) -> Node:
    return Node(tmp_path, opened, lambda: worker)


def leaves(worker: PlayedWorker) -> None:
    """End as a worker does that is asked to."""
    while not isinstance(worker.hears(), Stop):
        pass
    worker.dies()


def no_launch() -> WorkerLink:
    raise RunError("no worker can be started: too many processes")


def test_a_run_is_done_when_all_its_pages_have_ended(node: Node, worker: PlayedWorker) -> None:
    node.start()
    worker.begins()
    worker.ends(*worker.is_given())
    leaves(worker)
    report = node.ended()
    assert (report.status, report.jobs.done) == (RunStatus.DONE, 1)
    assert node.run_json()["status"] == "done"
    assert node.notices == []


def test_a_run_without_a_worker_fails_and_its_report_says_why(tmp_path: Path, opened: ExitStack) -> None:
    node = Node(tmp_path, opened, no_launch)
    with pytest.raises(RunError, match="no worker can be started"):
        node.engine.run()
    assert node.run_json()["status"] == "failed"
    assert "too many processes" in json.dumps(node.run_json())
    assert "appender" not in [thread.name for thread in threading.enumerate()]


def test_a_run_that_is_cancelled_before_it_begins_starts_nothing(tmp_path: Path, opened: ExitStack) -> None:
    node = Node(tmp_path, opened, no_launch)
    node.engine.cancel()
    assert node.engine.run().status is RunStatus.STOPPED
    assert (node.jobs.left(), node.run_json()["status"]) == (0, "stopped")


def test_a_cancel_says_what_it_waits_for_and_a_run_that_has_finished_meanwhile_is_done(
    node: Node, worker: PlayedWorker
) -> None:
    node.start()
    worker.begins()
    given = worker.is_given()
    node.engine.cancel()
    (notice,) = node.notices
    words = r"waiting for 1 page being processed, until \d\d:\d\d:\d\d \(1[0-4] s\) at most; "
    assert re.fullmatch(words + "then what is done is published", notice)
    worker.ends(*given)
    leaves(worker)
    assert node.ended().status is RunStatus.DONE


def test_a_second_cancel_does_not_wait_and_leaves_the_page_to_the_next_run(
    node: Node, worker: PlayedWorker
) -> None:
    node.start()
    worker.begins()
    worker.is_given()
    node.engine.cancel()
    node.engine.cancel(hard=True)
    report = node.ended()
    assert (report.status, report.jobs.done) == (RunStatus.STOPPED, 0)
    assert node.jobs.left() == 1
    assert len(node.notices) == 1
