"""`scoopi retry` adds the rows of failed tasks to a run's output: each row once, whatever is killed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.app import Scoopi
from tests.engine.flaky_site import FlakySite
from tests.engine.workspace import Workspace, wait_until
from tests.reliability.world import World, build_world
from tests.server.server import Server

SETTINGS: dict[str, object] = {"scoopi.loader.fetch.delay": 0, "scoopi.retry.attempts": 1}


class Site:
    """A site whose pages with that part in their path fail, until it recovers."""

    def __init__(self, folder: Path, broken: str) -> None:
        self.broken = broken
        self.pages = FlakySite(
            folder, lambda _request, _of_path, path: bool(self.broken) and self.broken in path
        )

    def recover(self) -> None:
        self.broken = ""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """The pages of shelf 0, and what it links to, fail."""
    return Site(tmp_path / "world" / "pages", "-0")


@pytest.fixture
def server(site: Site) -> Iterator[Server]:
    with Server(site.pages) as server:
        yield server


@pytest.fixture
def world(tmp_path: Path, workspace: Workspace, server: Server) -> World:
    """Four shelves with two links each, once run: some pages have failed."""
    workspace.settings = dict(SETTINGS)
    world = build_world(tmp_path / "world", 4, 2, server.url(""))
    ended = workspace.scoopi("run", world.defs, "--workers", 0)
    assert ended.code == 1
    assert f"run failed tasks again with  scoopi retry output/{workspace.run_folder().name}" in ended.err
    assert workspace.rows() < world.rows
    return world


@pytest.mark.parametrize("words", [("retry",), ("resume", "--failed")])
def test_the_failed_tasks_of_a_finished_run_are_run_again_into_its_output(
    workspace: Workspace, world: World, site: Site, server: Server, words: tuple[str, ...]
) -> None:
    asked = len(server.log.all())
    failed = workspace.run_json()["jobs"]["failed"]
    site.recover()
    ended = workspace.scoopi(*words, "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows
    assert workspace.run_json()["jobs"] == world.all_done
    assert workspace.run_json()["errors"] == []
    # Only the failed pages are asked for, and what they link to.
    assert len(server.log.all()) - asked == failed + 2


def test_what_fails_again_is_still_a_failure_and_can_be_retried_again(
    workspace: Workspace, world: World, site: Site
) -> None:
    before, rows = workspace.run_json()["jobs"], workspace.rows()
    assert workspace.scoopi("retry", "--workers", 0).code == 1
    assert workspace.run_json()["jobs"] == before
    assert workspace.rows() == rows
    site.broken = "packet-1-0"
    assert workspace.scoopi("retry", workspace.run_folder(), "--workers", 0).code == 1
    assert workspace.run_json()["jobs"]["failed"] == 1
    site.recover()
    assert workspace.scoopi("retry", workspace.run_folder().name, "--workers", 0).code == 0
    assert workspace.rows() == world.rows


def test_a_folder_without_runs_has_nothing_to_retry(workspace: Workspace) -> None:
    ended = workspace.scoopi("retry", "--output", "none", "--workers", 0)
    assert (ended.code, ended.err) == (
        0,
        "nothing to retry: none has no finished run, or its newest one has no failed task\n",
    )


def test_a_run_without_failed_tasks_has_nothing_to_retry(
    workspace: Workspace, world: World, site: Site
) -> None:
    site.recover()
    assert workspace.scoopi("retry", "--workers", 0).code == 0
    rows = (workspace.run_folder() / "data.txt").stat()
    ended = workspace.scoopi("retry", "--workers", 0)
    assert ended.code == 0
    assert "nothing to retry: output has no finished run, or its newest one has no failed task" in ended.err
    assert (workspace.run_folder() / "data.txt").stat() == rows, "the output stays as it is"
    assert workspace.scoopi("resume").err == "nothing to resume: no unfinished run in output\n"


def test_only_the_tasks_that_failed_run_again(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<h1>Bread</h1><p>12</p>")
    (workspace.folder / "plugins").mkdir()
    step = workspace.folder / "plugins" / "fails_once.py"
    step.write_text(
        "from pathlib import Path\n"
        "from scoopi.errors import StepError\nfrom scoopi.model.handover import ToTask\n"
        "from scoopi.steps.step import Step\nclass FailsOnce(Step):\n    def run(self, payload):\n"
        "        if not Path('fixed').exists():\n            raise StepError('not now')\n"
        "        return ToTask(payload)\n"
    )
    (workspace.folder / "shop.yml").write_text(
        f"""
locatorGroups: {{ shop: {{ locators: [ {{ name: bread, url: "{tmp_path}/page.html" }} ] }} }}
taskGroups:
  shop:
    nameTask: {{ dataDef: title }}
    priceTask:
      dataDef: price
      steps: {{ jsoupDefault: {{ extra: {{ class: FailsOnce, previous: parser, next: filter }} }} }}
dataDefs:
  title: {{ query: {{ block: "body", selector: "h1" }}, items: [ item: {{ name: title, value: title }} ] }}
  price: {{ query: {{ block: "body", selector: "p" }}, items: [ item: {{ name: price, value: price }} ] }}
"""
    )
    ended = workspace.scoopi("run", "shop.yml", "--workers", 0)
    assert ended.code == 1, ended.err
    assert list(workspace.rows()) == ["bread|shop|title|Bread"]
    (workspace.folder / "fixed").touch()
    ended = workspace.scoopi("retry", "--workers", 0)
    assert ended.code == 0, ended.err
    assert dict(workspace.rows()) == {"bread|shop|title|Bread": 1, "bread|shop|price|12": 1}
    assert workspace.run_json()["jobs"] == {"done": 1, "failed": 0, "warned": 0, "left": 0, "skipped": 0}


def test_resume_runs_the_failed_tasks_of_an_unfinished_run_if_asked(
    workspace: Workspace, tmp_path: Path, site: Site, server: Server
) -> None:
    workspace.settings = SETTINGS | {"scoopi.loader.fetch.delay": 100}
    world = build_world(tmp_path / "world", 4, 2, server.url(""))
    running = workspace.start("run", world.defs, "--workers", 0, "-q")
    try:
        wait_until(lambda: site.pages.failed >= 1 and len(server.log.all()) > 5, "a failure", running=running)
        running.signal(signal.SIGTERM)
        assert running.wait(60) == 143
    finally:
        running.kill_all()
    site.recover()
    workspace.settings["scoopi.loader.fetch.delay"] = 0
    ended = workspace.scoopi("resume", "--failed", "--workers", 0)
    assert ended.code == 0, ended.err
    assert workspace.rows() == world.rows


@pytest.mark.parametrize("kills", [1, 2, 3])
def test_a_retry_that_is_killed_is_resumed_with_each_row_once(
    workspace: Workspace, world: World, site: Site, server: Server, kills: int
) -> None:
    site.recover()
    workspace.settings["scoopi.loader.fetch.delay"] = 30
    for number in range(kills):
        kill_after_a_request(workspace, server, "resume" if number else "retry")
        assert workspace.rows() <= world.rows
    assert workspace.scoopi("resume", "--workers", 0).code == 0
    assert workspace.rows() == world.rows
    assert workspace.run_json()["jobs"]["failed"] == 0


def kill_after_a_request(workspace: Workspace, server: Server, verb: str) -> None:
    asked = len(server.log.all())
    running = workspace.start(verb, "--workers", 1, "-q")
    try:
        wait_until(lambda: len(server.log.all()) > asked, "a request", running=running)
        running.signal(signal.SIGKILL)
        running.wait(60)
    finally:
        running.kill_all()


@pytest.mark.parametrize("words", [["retry"], ["resume", "--failed"]])
def test_a_run_of_a_cluster_needs_its_cluster(workspace: Workspace, world: World, words: list[str]) -> None:
    (state,) = workspace.run_folder().glob(".scoopi/*/node.json")
    state.write_text(state.read_text().replace('"cluster":false', '"cluster":true'))
    ended = workspace.scoopi(*words, workspace.run_folder())
    assert ended.code == 2
    assert "no cluster given; add --cluster HOST:PORT, or --store postgresql://" in ended.err


def test_a_run_that_does_not_exist_is_named(workspace: Workspace) -> None:
    assert "nothing to retry" in workspace.scoopi("retry").err
    ended = workspace.scoopi("retry", "output/nowhere")
    assert (ended.code, "there is no such run" in ended.err) == (2, True)


def test_an_embedding_program_retries_too(workspace: Workspace, world: World, site: Site) -> None:
    site.recover()
    report = Scoopi().retry()
    assert report is not None
    assert (report.jobs.failed, report.jobs.done) == (0, world.jobs)
    assert Scoopi().retry() is None
