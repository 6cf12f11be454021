"""Faults that come while a run ends or is watched: reported, never swallowed, never worse than they are."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from scoopi import Scoopi
from scoopi.appenders.segment_writer import SegmentWriter
from scoopi.errors import AppenderError, StoreError
from scoopi.model.report.progress import Progress
from scoopi.publishing.publisher import Publisher
from scoopi.store.jobs.job_store import JobStore
from tests.engine.workspace import Workspace, wait_until
from tests.reliability.world import World
from tests.server.server import Server

PROMPT_S = 10.0


def _unreadable(*_: object, **_by_name: object) -> int:
    raise StoreError("the store does not answer", hint="try again")


def _slow_definitions(folder: Path, server: Server) -> Path:
    """A local page whose rows are ready at once, and one that is answered after a while."""
    (folder / "page.html").write_text("<p>one</p>")
    defs = folder / "slow.yml"
    defs.write_text(
        f"""
locatorGroups:
  l: {{ locators: [ {{ name: slow, url: "{server.url("/bad/slow?ms=1500")}" }} ] }}
taskGroups:
  l: {{ t: {{ dataDef: d }} }}
dataDefs:
  d: {{ query: {{ block: "body" }}, items: [ item: {{ name: text, selector: "p" }} ] }}
"""
    )
    return defs


def test_a_store_that_does_not_answer_the_progress_line_harms_no_run(
    workspace: Workspace, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Progress] = []
    answers = iter([_unreadable])
    real = JobStore.left
    monkeypatch.setattr(JobStore, "left", lambda store: next(answers, real)(store))
    monkeypatch.setattr("scoopi.engine.engine.WATCH_S", 0.0)
    report = Scoopi(world.defs, watch=seen.append).run()
    assert (report.status, report.jobs.left) == ("done", 0)
    assert next(answers, None) is None, "the store was asked by the progress"


@pytest.mark.parametrize("method", ["publish", "to_ending"])
def test_a_store_that_is_lost_at_the_end_is_named_in_run_json_and_leaves_no_thread(
    workspace: Workspace, world: World, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    where = (
        "scoopi.publishing.publisher.Publisher"
        if method == "publish"
        else "scoopi.store.runs.run_record.RunRecord"
    )
    monkeypatch.setattr(f"{where}.{method}", _unreadable)
    before = set(threading.enumerate())
    with pytest.raises(StoreError, match="does not answer"):
        Scoopi(world.defs).run()
    report = workspace.run_json()
    assert (report["status"], report["errors"][0]["cause"]) == ("failed", "the store does not answer")
    wait_until(lambda: set(threading.enumerate()) <= before, "the end of all threads")


def test_a_graceful_stop_beside_an_unreadable_store_is_reported_as_one(
    workspace: Workspace, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner, method in ((JobStore, "left"), (Publisher, "publish")):
        monkeypatch.setattr(owner, method, _unreadable)
    scoopi = Scoopi(world.defs)
    scoopi.cancel()
    report = scoopi.run()
    assert (report.status, report.published, report.jobs.left) == ("stopped", False, None)
    assert "does not answer" in report.publish_note
    written = workspace.run_json()
    assert (written["status"], written["jobs"]["left"]) == ("stopped", None)


def test_a_disk_that_fills_while_a_run_is_stopped_is_reported_at_once(
    workspace: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise AppenderError("rows cannot be written: No space left on device", hint="free some space")

    monkeypatch.setattr(SegmentWriter, "append", full)
    scoopi = Scoopi(_slow_definitions(workspace.folder, server), {"scoopi.shutdown.timeout": "60"})
    errors: list[Exception] = []

    def run() -> None:
        try:
            scoopi.run()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(server.log.pages, "the request")
    scoopi.cancel()
    thread.join(PROMPT_S)
    assert not thread.is_alive(), "the stop waits for rows that nobody can write"
    assert [str(error) for error in errors] == [
        "rows cannot be written: No space left on device; free some space"
    ]
    assert workspace.run_json()["status"] == "failed"
