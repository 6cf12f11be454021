"""`scoopi retry` adds the rows of failed tasks to a run's output: each row once, whatever is killed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.app import Scoopi
from tests.engine.desk import Desk, wait_until
from tests.engine.flaky_site import FlakySite
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
def world(tmp_path: Path, desk: Desk, server: Server) -> World:
    """Four shelves with two links each, once run: some pages have failed."""
    desk.settings = dict(SETTINGS)
    world = build_world(tmp_path / "world", 4, 2, server.url(""))
    ended = desk.scoopi("run", world.defs, "--workers", 0)
    assert ended.code == 1
    assert f"run failed tasks again with  scoopi retry output/{desk.run_folder().name}" in ended.err
    assert desk.rows() < world.rows
    return world


@pytest.mark.parametrize("words", [("retry",), ("resume", "--failed")])
def test_the_failed_tasks_of_a_finished_run_are_run_again_into_its_output(
    desk: Desk, world: World, site: Site, server: Server, words: tuple[str, ...]
) -> None:
    asked = len(server.log.all())
    failed = desk.run_json()["jobs"]["failed"]
    site.recover()
    ended = desk.scoopi(*words, "--workers", 0)
    assert ended.code == 0, ended.err
    assert desk.rows() == world.rows
    assert desk.run_json()["jobs"] == {"done": world.jobs, "failed": 0, "warned": 0, "left": 0, "skipped": 0}
    assert desk.run_json()["errors"] == []
    # Only the failed pages are asked for, and what they link to.
    assert len(server.log.all()) - asked == failed + 2


def test_what_fails_again_is_still_a_failure_and_can_be_retried_again(
    desk: Desk, world: World, site: Site
) -> None:
    before, rows = desk.run_json()["jobs"], desk.rows()
    assert desk.scoopi("retry", "--workers", 0).code == 1
    assert desk.run_json()["jobs"] == before
    assert desk.rows() == rows
    site.broken = "packet-1-0"
    assert desk.scoopi("retry", desk.run_folder(), "--workers", 0).code == 1
    assert desk.run_json()["jobs"]["failed"] == 1
    site.recover()
    assert desk.scoopi("retry", desk.run_folder().name, "--workers", 0).code == 0
    assert desk.rows() == world.rows


def test_a_run_without_failed_tasks_has_nothing_to_retry(desk: Desk, world: World, site: Site) -> None:
    site.recover()
    assert desk.scoopi("retry", "--workers", 0).code == 0
    rows = (desk.run_folder() / "data.txt").stat()
    ended = desk.scoopi("retry", "--workers", 0)
    assert ended.code == 0
    assert "nothing to retry: the newest finished run in output has no failed task" in ended.err
    assert (desk.run_folder() / "data.txt").stat() == rows, "the output stays as it is"
    assert desk.scoopi("resume").err == "nothing to resume: no unfinished run in output\n"


def test_only_the_tasks_that_failed_run_again(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<h1>Bread</h1><p>12</p>")
    (desk.folder / "plugins").mkdir()
    step = desk.folder / "plugins" / "fails_once.py"
    step.write_text(
        "from pathlib import Path\n"
        "from scoopi.errors import StepError\nfrom scoopi.model.handover import ToTask\n"
        "from scoopi.steps.step import Step\nclass FailsOnce(Step):\n    def run(self, payload):\n"
        "        if not Path('fixed').exists():\n            raise StepError('not now')\n"
        "        return ToTask(payload)\n"
    )
    (desk.folder / "shop.yml").write_text(
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
    ended = desk.scoopi("run", "shop.yml", "--workers", 0)
    assert ended.code == 1, ended.err
    assert list(desk.rows()) == ["bread|shop|title|Bread"]
    (desk.folder / "fixed").touch()
    ended = desk.scoopi("retry", "--workers", 0)
    assert ended.code == 0, ended.err
    assert dict(desk.rows()) == {"bread|shop|title|Bread": 1, "bread|shop|price|12": 1}
    assert desk.run_json()["jobs"] == {"done": 1, "failed": 0, "warned": 0, "left": 0, "skipped": 0}


def test_resume_runs_the_failed_tasks_of_an_unfinished_run_if_asked(
    desk: Desk, tmp_path: Path, site: Site, server: Server
) -> None:
    desk.settings = SETTINGS | {"scoopi.loader.fetch.delay": 100}
    world = build_world(tmp_path / "world", 4, 2, server.url(""))
    running = desk.start("run", world.defs, "--workers", 0, "-q")
    try:
        wait_until(lambda: site.pages.failed >= 1 and len(server.log.all()) > 5, "a failure", running=running)
        running.signal(signal.SIGTERM)
        assert running.wait(60) == 143
    finally:
        running.kill_all()
    site.recover()
    desk.settings["scoopi.loader.fetch.delay"] = 0
    ended = desk.scoopi("resume", "--failed", "--workers", 0)
    assert ended.code == 0, ended.err
    assert desk.rows() == world.rows


@pytest.mark.parametrize("kills", [1, 2, 3])
def test_a_retry_that_is_killed_is_resumed_with_each_row_once(
    desk: Desk, world: World, site: Site, server: Server, kills: int
) -> None:
    site.recover()
    desk.settings["scoopi.loader.fetch.delay"] = 30
    for number in range(kills):
        kill_after_a_request(desk, server, "resume" if number else "retry")
        assert desk.rows() <= world.rows
    assert desk.scoopi("resume", "--workers", 0).code == 0
    assert desk.rows() == world.rows
    assert desk.run_json()["jobs"]["failed"] == 0


def kill_after_a_request(desk: Desk, server: Server, verb: str) -> None:
    asked = len(server.log.all())
    running = desk.start(verb, "--workers", 1, "-q")
    try:
        wait_until(lambda: len(server.log.all()) > asked, "a request", running=running)
        running.signal(signal.SIGKILL)
        running.wait(60)
    finally:
        running.kill_all()


@pytest.mark.parametrize("words", [["retry"], ["resume", "--failed"]])
def test_a_run_of_a_cluster_needs_its_cluster(desk: Desk, world: World, words: list[str]) -> None:
    (state,) = desk.run_folder().glob(".scoopi/*/node.json")
    state.write_text(state.read_text().replace('"cluster":false', '"cluster":true'))
    ended = desk.scoopi(*words, desk.run_folder())
    assert ended.code == 2
    assert "no cluster given; add --cluster HOST:PORT, or --store postgresql://" in ended.err


def test_a_run_that_does_not_exist_is_named(desk: Desk) -> None:
    assert "nothing to retry" in desk.scoopi("retry").err
    ended = desk.scoopi("retry", "output/nowhere")
    assert (ended.code, "there is no such run" in ended.err) == (5, True)


def test_an_embedding_program_retries_too(desk: Desk, world: World, site: Site) -> None:
    site.recover()
    report = Scoopi().retry()
    assert report is not None
    assert (report.jobs.failed, report.jobs.done) == (0, world.jobs)
    assert Scoopi().retry() is None
