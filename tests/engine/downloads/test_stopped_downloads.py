"""Runs that are stopped or killed while files come: what came stays, and nothing is asked for twice."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import suppress

import msgspec
import pytest

from tests.engine.downloads.downloading import RECORDS, FileSite, path_of
from tests.engine.workspace import Workspace, wait_until
from tests.reliability.file_rounds import SETTINGS
from tests.reliability.process import ScoopiProcess
from tests.server.file_pages import content

SLOW = "/slow/a.jpg?size=600000&ms=60"  # 30 pieces
SLOW_BODY = content("a.jpg", 600_000)
QUICK = "/ok/b.jpg?size=500"
QUICK_BODY = content("b.jpg", 500)
TO = "files/%{sha256}.%{ext}"
LIMIT_S = 30.0


@pytest.fixture
def site() -> Iterator[FileSite]:
    site = FileSite()
    with site.server:
        yield site


@pytest.fixture
def workspace(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    for name, text in SETTINGS.items():
        monkeypatch.setenv(name, text)
    return workspace


def started(
    workspace: Workspace, site: FileSite, *links: str, request: str = "", workers: int = 1
) -> ScoopiProcess:
    """A run over these links, with the slow file on its way."""
    site.links = [*links]
    parts = {"key": "", "field": "", "download": "", "to": TO, "output": "cards.jsonl", "request": request}
    (workspace.folder / "defs.yml").write_text(RECORDS.format(url=site.server.url("/list"), **parts))
    scoopi = workspace.start("run", "defs.yml", "--workers", workers)
    wait_until(
        lambda: part_bytes(workspace) > 100_000,
        "a part of the file",
        LIMIT_S,
        scoopi,
    )
    return scoopi


def part_bytes(workspace: Workspace) -> int:
    """The bytes of all partial files and their notes; each may go at any moment."""
    total = 0
    for part in (workspace.folder / "output").glob("*/.scoopi/*/files/parts/*"):
        with suppress(FileNotFoundError):
            total += part.stat().st_size
    return total


def finished(workspace: Workspace) -> dict[str, object]:
    """Resume the run; see `rows_of`."""
    ended = workspace.process("resume")
    assert ended.code == 0, ended.err
    return rows_of(workspace)


def rows_of(workspace: Workspace) -> dict[str, object]:
    """The path of its file by the title of each card."""
    lines = (workspace.run_folder() / "cards.jsonl").read_bytes().splitlines()
    rows = [msgspec.json.decode(line) for line in lines]
    return {row["title"]: row["image"] for row in rows}


@pytest.mark.parametrize("workers", [0, 1])
def test_a_killed_run_resumes_its_file_where_it_ended(
    workspace: Workspace, site: FileSite, workers: int
) -> None:
    scoopi = started(workspace, site, QUICK, SLOW, workers=workers)
    scoopi.signal(signal.SIGKILL)
    assert scoopi.wait(LIMIT_S) == -signal.SIGKILL
    assert finished(workspace) == {"t0": path_of(QUICK_BODY), "t1": path_of(SLOW_BODY)}
    first, second = site.asked(SLOW)
    assert first is None
    assert second is not None
    assert int(second.removeprefix("bytes=").rstrip("-")) >= 100_000
    assert site.files.times[QUICK] == 1


def test_a_run_that_is_stopped_finishes_the_file_under_way_and_asks_for_no_further_one(
    workspace: Workspace, site: FileSite
) -> None:
    scoopi = started(workspace, site, SLOW, QUICK)
    scoopi.signal(signal.SIGTERM)
    assert scoopi.wait(LIMIT_S) == 128 + signal.SIGTERM
    assert site.files.times == {SLOW: 1}
    assert finished(workspace) == {"t0": path_of(SLOW_BODY), "t1": path_of(QUICK_BODY)}
    assert site.files.times == {SLOW: 1, QUICK: 1}


def test_a_page_that_was_posted_is_not_posted_again_after_a_stop(
    workspace: Workspace, site: FileSite
) -> None:
    """Protocol rule 16."""
    scoopi = started(workspace, site, SLOW, QUICK, request=", form: { q: x }")
    scoopi.signal(signal.SIGTERM)
    scoopi.wait(LIMIT_S)
    assert rows_of(workspace) == {}
    posts = [seen for seen in site.server.log.all() if seen.path == "/list"]
    assert [seen.method for seen in posts] == ["POST"]
    (error,) = workspace.run_json()["errors"]
    assert "the run was stopped before the files of the page were downloaded" in error["cause"]
    ended = workspace.process("retry")
    assert ended.code == 0, ended.err
    assert {*site.files.times.values()} == {1}, "the files that had come are not asked for again"


def test_an_immediate_shutdown_leaves_no_file_without_a_row(workspace: Workspace, site: FileSite) -> None:
    scoopi = started(workspace, site, SLOW, QUICK)
    for _ in range(2):
        scoopi.signal(signal.SIGINT)
    scoopi.wait(LIMIT_S)
    assert [*workspace.run_folder().glob("files/*")] == []
    assert finished(workspace) == {"t0": path_of(SLOW_BODY), "t1": path_of(QUICK_BODY)}
