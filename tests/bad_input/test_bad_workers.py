"""A page that makes its worker die loses the task it died on and nothing else; no worker stays behind."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.bad_input.town import Town, assert_failed, good_rows, page, title_row
from tests.engine.workspace import Ended, Workspace, wait_until

PLUGIN = """\
import os
import re
import signal
from pathlib import Path

from scoopi.model.handover import ToTask
from scoopi.steps.step import Step


class Fragile(Step):
    def run(self, payload):
        if payload.locator.name == "bad":
            with Path({deaths!r}).open("a") as deaths:
                deaths.write(payload.task + "\\n")
            {death}
        return ToTask(payload)
"""
SEGFAULT = "os.kill(os.getpid(), signal.SIGSEGV)"
DEATHS = {
    SEGFAULT: "it was killed by SIGSEGV",
    "os.kill(os.getpid(), signal.SIGKILL)": "it was killed by SIGKILL",
    "os._exit(3)": "it ended with exit code 3",
}
NAME, TEMP = "nameTask: { dataDef: name", "tempTask: { dataDef: temps"


@pytest.fixture
def deaths(workspace: Workspace) -> Path:
    """A file with a line for each death: the task that died."""
    return workspace.folder / "deaths.txt"


def install(town: Town, deaths: Path, death: str, *tasks: str) -> None:
    """A plugin step that kills its worker on the bad page, in these tasks."""
    (town.job.parent / "plugins").mkdir()
    source = PLUGIN.format(deaths=str(deaths), death=death)
    (town.job.parent / "plugins" / "fragile.py").write_text(source)
    for task in tasks:
        town.add_step("class: Fragile", task)


@pytest.mark.parametrize("death", DEATHS)
def test_a_page_that_kills_its_worker_loses_that_task_alone(
    workspace: Workspace, town: Town, deaths: Path, death: str
) -> None:
    install(town, deaths, death, TEMP)
    town.write_page(page("bad"))
    workspace.settings["scoopi.job.maxCrashes"] = 1
    ended = workspace.scoopi("run", "defs", "--workers", 1)
    cause = f"the page kills its worker: {DEATHS[death]}"
    assert_failed_in_worker(workspace, ended, cause)
    # The death among others counts nothing, the one while alone does.
    assert deaths.read_text().split() == ["tempTask"] * 2
    assert workspace.rows() == good_rows() + title_row("bad")
    assert not workspace.left_behind()


def test_a_task_fails_after_the_third_death_while_alone(
    workspace: Workspace, town: Town, deaths: Path
) -> None:
    install(town, deaths, SEGFAULT, TEMP)
    town.write_page(page("bad"))
    for number in range(20):
        town.add_locator(f"pages/good{number}.html", f"good{number}")
        (town.pages / f"good{number}.html").write_text(page(f"good{number}"))
    ended = workspace.process("run", "defs", "--workers", 2)
    report = assert_failed_in_worker(workspace, ended, "the page kills its worker: it was killed by SIGSEGV")
    assert "it was tried 3 times alone" in ended.err
    assert "Traceback" not in ended.err
    assert deaths.read_text().split() == ["tempTask"] * 4
    assert (report["jobs"]["done"], report["pages"]) == (22, 23)
    assert workspace.rows() == good_rows(*(f"good{number}" for number in range(20))) + title_row("bad")
    assert not workspace.left_behind()


def test_each_task_that_kills_its_worker_is_named(workspace: Workspace, town: Town, deaths: Path) -> None:
    install(town, deaths, SEGFAULT, NAME, TEMP)
    town.write_page(page("bad"))
    workspace.settings["scoopi.job.maxCrashes"] = 1
    ended = workspace.scoopi("run", "defs", "--workers", 1)
    assert ended.code == 1, ended.err
    (error,) = workspace.run_json()["errors"]
    assert error["count"] == 2
    assert error["example"]["task"] == "nameTask"
    assert deaths.read_text().split() == ["nameTask", "nameTask", "tempTask"]
    assert workspace.rows() == good_rows()


def test_a_worker_that_dies_once_loses_nothing(workspace: Workspace, town: Town, deaths: Path) -> None:
    once = f"if Path({str(deaths)!r}).read_text().count('\\n') == 1: {SEGFAULT}"
    install(town, deaths, once, TEMP)
    town.write_page(page("bad"))
    ended = workspace.scoopi("run", "defs", "--workers", 2)
    assert ended.code == 0, ended.err
    assert workspace.rows() == good_rows("bad")
    assert deaths.read_text().split() == ["tempTask"] * 2


@pytest.mark.parametrize("workers", [0, 2])
def test_a_step_that_never_ends_does_not_hold_up_a_graceful_stop(
    workspace: Workspace, town: Town, deaths: Path, workers: int
) -> None:
    install(town, deaths, "signal.pause()", TEMP)
    town.write_page(page("bad"))
    workspace.settings["scoopi.shutdown.timeout"] = 3
    running = workspace.start("run", "defs", "--workers", workers, "--quiet")
    try:
        wait_until(lambda: deaths.exists() and workspace.runs(), "the step that never ends", running=running)
        running.signal(signal.SIGTERM)
        assert running.wait(60) == 143
    finally:
        running.kill_all()
    assert not workspace.left_behind()
    report = workspace.run_json()
    assert (report["status"], report["jobs"]["left"]) == ("stopped", 3 - report["jobs"]["done"])
    assert not workspace.rows() - good_rows()
    assert (
        "1 job did not finish in time; it will be run again" in (workspace.folder / "stderr.txt").read_text()
    )


@pytest.mark.parametrize("workers", [0, 1])
def test_a_plugin_step_that_raises_fails_its_task_alone(
    workspace: Workspace, town: Town, deaths: Path, workers: int
) -> None:
    install(town, deaths, "raise ZeroDivisionError('no such town')", TEMP)
    town.write_page(page("bad"))
    ended = workspace.scoopi("run", "defs", "--workers", workers)
    assert_failed(
        workspace,
        ended,
        "ZeroDivisionError: no such town",
        step="extra",
        tasks="tempTask",
        url="pages/bad.html",
    )
    assert workspace.rows() == good_rows() + title_row("bad")
    assert re.search(r"unexpected ZeroDivisionError: no such town \(.*/plugins/\w+\.py:\d+\)", ended.err)


def test_a_plugin_that_no_worker_can_make_ends_the_run_with_its_cause(
    workspace: Workspace, town: Town
) -> None:
    (town.job.parent / "plugins").mkdir()
    (town.job.parent / "plugins" / "fragile.py").write_text("import no_such_module\n\nclass Fragile: pass\n")
    town.add_step("class: Fragile")
    ended = workspace.scoopi("run", "defs", "--workers", 1)
    assert ended.code == 3
    assert "No module named 'no_such_module'" in ended.err
    assert "fragile.py" in ended.err
    assert not Path("output").exists()


def assert_failed_in_worker(workspace: Workspace, ended: Ended, cause: str) -> Any:
    """The task that died is named, on the terminal and in `run.json`."""
    return assert_failed(
        workspace,
        ended,
        cause,
        step="worker",
        tasks="tempTask",
        url="pages/bad.html",
        hint="look at the page",
    )
