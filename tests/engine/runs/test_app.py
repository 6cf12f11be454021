"""Embedding: `Scoopi` in somebody's program gives its report and rows, and leaves the program as it was."""

from __future__ import annotations

import signal
import sqlite3
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from scoopi import Scoopi
from scoopi.configs.given import SettingValue, as_texts
from scoopi.errors import ConfigError, DefsError, UsageError
from tests.engine.workspace import Workspace, wait_until
from tests.reliability.world import World, build_world, read_rows
from tests.server.server import Server

LISTED = (
    "titleTask: { dataDef: shelf, steps: { css: { appender: { class: DataAppender, previous: filter, "
    "next: end, plugins: [ plugin: { name: titles, class: ListAppender } ] } } } }"
)


def test_a_run_gives_its_report_and_its_rows(workspace: Workspace, world: World) -> None:
    report = Scoopi(defs_dir=world.defs, configs={"scoopi.workers": "0"}).run()
    assert (report.status, report.jobs.done, report.jobs.left) == ("done", world.jobs, 0)
    assert report.rows == {"data.txt": world.rows.total()}
    assert (report.pages, report.errors, report.published, report.signal) == (world.jobs, (), True, None)
    assert read_rows(Path(report.folder)) == world.rows


def test_rows_of_a_list_appender_are_in_the_report(workspace: Workspace, world: World) -> None:
    job = world.defs / "job.yml"
    job.write_text(job.read_text().replace("titleTask: { dataDef: shelf }", LISTED))
    report = Scoopi(world.defs).run()
    rows = report.lists["titles"]
    assert len(rows) == 4
    for number in range(4):
        assert sum(f"Shelf {number}" in str(row) for row in rows) == 1, rows
    assert report.rows == {"data.txt": world.rows.total() - 4}


def test_a_run_leaves_signals_and_threads_as_they_were(workspace: Workspace, world: World) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    threads = set(threading.enumerate())
    Scoopi(world.defs).run()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    wait_until(lambda: set(threading.enumerate()) <= threads, "the end of all threads")


def test_two_runs_in_two_threads_do_not_mix(workspace: Workspace, tmp_path: Path) -> None:
    worlds = [build_world(tmp_path / f"world{n}", 5 + n, 2) for n in range(2)]
    runs = [Scoopi(world.defs, output=f"out{n}") for n, world in enumerate(worlds)]
    interval = sys.getswitchinterval()
    threads = [threading.Thread(target=run.run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    for number, world in enumerate(worlds):
        assert workspace.rows(f"out{number}") == world.rows
    assert sys.getswitchinterval() == interval


def test_bad_definitions_raise_with_the_whole_report(workspace: Workspace, world: World) -> None:
    (world.defs / "more.yml").write_text("dataDefs: { more: { query: { blok: p } } }\n")
    with pytest.raises(DefsError, match="did you mean block"):
        Scoopi(world.defs).run()


def test_a_run_without_definitions_is_wrong_usage(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="no definitions were given"):
        Scoopi().run()


def test_resume_without_any_run_is_none(workspace: Workspace) -> None:
    assert Scoopi().resume() is None


def test_a_run_is_cancelled_from_another_thread_and_gone_on_with(
    workspace: Workspace, tmp_path: Path
) -> None:
    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", 4, 1, server.url(""))
        scoopi = Scoopi(world.defs, {"scoopi.loader.fetch.delay": "100"})
        canceller = cancelling(scoopi, server)
        report = scoopi.run()
        canceller.join(60)
        assert (report.status, bool(report.jobs.left), report.published) == ("stopped", True, True)
        assert not read_rows(Path(report.folder)) - world.rows
        again = Scoopi().resume(report.run)
    assert again is not None
    assert again.status == "done"
    assert workspace.rows() == world.rows


def test_a_notice_that_nobody_takes_does_not_keep_a_cancel_from_stopping_the_run(
    workspace: Workspace, tmp_path: Path
) -> None:
    taken = threading.Event()

    def notify(line: str) -> None:
        if "what is done is published" in line:  # whether a page is being processed just then or not
            taken.wait(60)

    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", 4, 1, server.url(""))
        scoopi = Scoopi(world.defs, {"scoopi.loader.fetch.delay": "100"}, notify=notify)
        canceller = cancelling(scoopi, server)
        report = scoopi.run()
        is_held = canceller.is_alive()
        taken.set()
        canceller.join(60)
    assert (report.status, bool(report.jobs.left), is_held) == ("stopped", True, True)


def test_a_second_cancel_is_heard_while_the_notice_of_the_first_waits(
    workspace: Workspace, tmp_path: Path
) -> None:
    noticed, taken = threading.Event(), threading.Event()

    def notify(line: str) -> None:
        if "what is done is published" in line:
            noticed.set()
            taken.wait(60)

    def cancel_again() -> None:
        noticed.wait(60)
        scoopi.cancel(hard=True)

    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", 4, 1, server.url(""))
        scoopi = Scoopi(world.defs, {"scoopi.loader.fetch.delay": "100"}, notify=notify)
        canceller, second = cancelling(scoopi, server), threading.Thread(target=cancel_again, daemon=True)
        second.start()
        report = scoopi.run()
        second.join(60)
        is_heard = canceller.is_alive() and not second.is_alive()
        taken.set()
        canceller.join(60)
        second.join(60)
    assert (report.status, noticed.is_set(), is_heard) == ("stopped", True, True)


def test_a_run_cancelled_before_it_starts_does_nothing_and_resume_does_all(
    workspace: Workspace, world: World
) -> None:
    scoopi = Scoopi(world.defs)
    scoopi.cancel()
    assert scoopi.run().status == "stopped"
    again = Scoopi().resume()
    assert again is not None
    assert again.status == "done"
    assert workspace.rows() == world.rows


@pytest.mark.parametrize(
    ("given", "text"),
    [(0, "0"), (250, "250"), (250.0, "250"), ("250", "250"), (True, "true"), (False, "false")],
)
def test_settings_may_be_numbers_and_booleans(given: SettingValue, text: str) -> None:
    assert as_texts({"a.b": given}) == {"a.b": text}


def test_a_run_takes_them(world: World, workspace: Workspace) -> None:
    settings = {"scoopi.loader.fetch.delay": 0, "scoopi.parser.plain": True}
    report = Scoopi(world.defs, settings).run()
    assert report.jobs.done == world.jobs


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, b"x"])
def test_a_setting_of_another_kind_is_refused_by_its_key(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"scoopi\.workers: .* is not a value for a setting"):
        Scoopi("defs", {"scoopi.workers": value})


def test_a_run_is_cancelled_while_its_definitions_wait_for_a_query(workspace: Workspace) -> None:
    sqlite3.connect("towns.db").close()
    Path("towns.yml").write_text(
        'locatorGroups: { town: { from: { database: "sqlite:towns.db", query: "with recursive c(n) as ('
        'select 1 union all select n + 1 from c) select count(*) as n from c" }, url: "/%{n}.html" } }\n'
        "taskGroups: { town: { towns: { dataDef: town } } }\n"
        "dataDefs: { town: { fields: { name: h1 } } }\n"
    )
    scoopi = Scoopi("towns.yml")
    timer = threading.Timer(0.5, scoopi.cancel)
    timer.start()
    report = scoopi.run()
    assert (report.status, report.run, report.publish_note) == (
        "stopped",
        "",
        "it was stopped before this node began",
    )


def cancelling(scoopi: Scoopi, server: Server) -> threading.Thread:
    """A thread that cancels the run once it has made two requests."""

    def cancel() -> None:
        wait_until(lambda: len(server.log.all()) >= 2, "a request")
        scoopi.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    return thread
