"""A task that does not end is ended within `scoopi.task.timeout`, and costs nothing but itself."""

from __future__ import annotations

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.bad_input.endless import LOOPS, NATIVE_LOOPS, SELECTORS
from tests.engine.workspace import Workspace, processor_ticks, wait_until

TIMEOUT_S = 2
SCRIPT_MS = 200
HELD_TICKS = 50
"""Hundredths of a second of processor time that only a call takes which holds the interpreter."""
LINES = 4000
"""Lines of a page; a query that compares them all with each other twice takes hours."""
OVERRAN = f"the task ran longer than {TIMEOUT_S + SCRIPT_MS / 1000:g} s"
PLUGINS = """\
import re
import time
from pathlib import Path

from scoopi.model.handover import ToTask
from scoopi.steps.step import Step


class Loops(Step):
    def run(self, payload):
        while True:
            pass


class Catches(Step):
    def run(self, payload):
        while True:
            try:
                time.sleep(60)
            except Exception:
                pass


class LoopsOnOnePage(Step):
    def run(self, payload):
        while payload.locator.name == "page0":
            pass
        with Path("done.txt").open("a") as done:
            done.write(payload.locator.name + "\\n")
        return ToTask(payload)


class Matches(Step):
    def run(self, payload):
        Path("held.txt").touch()
        re.match("(a+)+$", "a" * 60 + "b")  # holds the interpreter's lock all the time
        return ToTask(payload)
"""


class Endless:
    """Definitions in which each page has a good task beside one that does not end."""

    def __init__(self, workspace: Workspace) -> None:
        self._desk = workspace
        self._names: list[str] = []
        self._document: dict[str, dict[str, Any]] = {
            "locatorGroups": {},
            "taskGroups": {},
            "dataDefs": {"name": data_def({"value": "title"}, "//h1")},
        }
        (workspace.folder / "pages").mkdir()
        (workspace.folder / "defs" / "plugins").mkdir(parents=True)
        (workspace.folder / "defs" / "plugins" / "endless.py").write_text(PLUGINS)
        self.add_page("good", None)

    def add_page(self, name: str, task: Mapping[str, Any] | None, data: Any = None) -> None:
        """A page of its own group.

        Args:
            task: the one that does not end; None for a good page.
            data: what it reads.
        """
        lines = "".join(f"<p n={number}>{number}</p>" for number in range(LINES))
        (self._desk.folder / "pages" / f"{name}.html").write_text(f"<!doctype html><h1>{name}</h1>{lines}")
        self._names.append(name)
        self._document["locatorGroups"][name] = {"locators": [{"name": name, "url": f"pages/{name}.html"}]}
        tasks: dict[str, Any] = {"first": {"dataDef": "name"}, "last": {"dataDef": "name"}}
        if task is not None:
            tasks = {"first": tasks["first"], "endless": {"dataDef": name, **task}, "last": tasks["last"]}
            self._document["dataDefs"][name] = data or data_def({"value": "title"}, "//h1")
        self._document["taskGroups"][name] = tasks

    def tasks(self, name: str) -> dict[str, Any]:
        """The tasks of a page, to be added to."""
        tasks: dict[str, Any] = self._document["taskGroups"][name]
        return tasks

    def write(self) -> None:
        """Write the definitions; JSON is YAML."""
        (self._desk.folder / "defs" / "job.yml").write_text(json.dumps(self._document, indent=1))

    def good_rows(self) -> Counter[str]:
        """The rows of all tasks that end."""
        return Counter({f"{name}|{name}|title|{name}": 2 for name in self._names})


def data_def(item: Mapping[str, Any], selector: str) -> dict[str, Any]:
    return {
        "query": {"block": "//body", "selector": selector},
        "items": [{"item": {"name": "title", **item}}],
    }


@pytest.fixture
def endless(workspace: Workspace) -> Endless:
    """Tasks may take 2 s, and their scripts 0.2 s more."""
    workspace.settings |= {
        "scoopi.task.timeout": TIMEOUT_S,
        "scoopi.script.timeout": SCRIPT_MS,
        "scoopi.defs.defaultSteps": "xpath",
    }
    return Endless(workspace)


def assert_only_endless_tasks_failed(workspace: Workspace, endless: Endless, pages: int) -> dict[str, int]:
    """Each bad page has lost its endless task and no other; the causes, each with its count."""
    report = workspace.run_json()
    assert (report["status"], report["jobs"]["failed"], report["jobs"]["left"]) == ("done", pages, 0)
    assert sum(error["count"] for error in report["errors"]) == pages
    for error in report["errors"]:
        file, line, _ = error["example"]["at"].rsplit(":", 2)
        group, task = error["example"]["job"].partition(":")[0], error["example"]["task"]
        assert (Path(file).name, task) == ("job.yml", "endless")
        assert place_of(workspace, group, int(line)), error["example"]["at"]
    rows = workspace.rows()
    assert rows == endless.good_rows()
    assert not workspace.left_behind()
    return {error["cause"]: error["count"] for error in report["errors"]}


def place_of(workspace: Workspace, group: str, line: int) -> bool:
    """Whether the line belongs to the group's tasks, or to its data definition."""
    lines = (workspace.folder / "defs" / "job.yml").read_text().splitlines()
    above = [text for text in lines[:line] if text.startswith('  "') and text.endswith("{")]
    return above[-1].strip() == f'"{group}": {{'


@pytest.mark.parametrize("workers", [0, 3])
def test_scripts_that_do_not_end_cost_their_own_task_only(
    workspace: Workspace, endless: Endless, workers: int
) -> None:
    scripts = [*NATIVE_LOOPS.values(), *LOOPS.values()] if workers else [*NATIVE_LOOPS.values()][:3]
    for number, script in enumerate(scripts):
        endless.add_page(f"page{number}", {}, data_def({"script": script}, "//h1"))
    endless.write()
    ended = workspace.scoopi("run", "defs", "--workers", workers)
    assert ended.code == 1, ended.err
    causes = assert_only_endless_tasks_failed(workspace, endless, len(scripts))
    for cause in causes:
        assert cause == OVERRAN or "script" in cause, cause
    assert "raise scoopi.task.timeout" in ended.err or OVERRAN not in causes


@pytest.mark.parametrize("workers", [0, 2])
def test_selectors_that_take_for_ever_cost_their_own_task_only(
    workspace: Workspace, endless: Endless, workers: int
) -> None:
    selectors = SELECTORS if workers else SELECTORS[:2]
    for number, selector in enumerate(selectors):
        endless.add_page(f"page{number}", {}, data_def({"value": "title"}, selector))
    endless.write()
    ended = workspace.process("run", "defs", "--workers", workers)
    assert ended.code == 1, ended.err
    causes = assert_only_endless_tasks_failed(workspace, endless, len(selectors))
    assert causes == {OVERRAN: len(selectors)}
    assert "raise scoopi.task.timeout" in ended.err
    assert "Traceback" not in ended.err


def with_step(name: str) -> dict[str, Any]:
    """A task with this plugin as a step of its own."""
    return {"steps": {"xpath": {"extra": {"class": name, "previous": "parser", "next": "filter"}}}}


def test_plugins_that_do_not_end_cost_their_own_task_only(workspace: Workspace, endless: Endless) -> None:
    for number, name in enumerate(("Loops", "Catches", "Matches")):
        endless.add_page(f"page{number}", with_step(name))
    endless.write()
    ended = workspace.process("run", "defs", "--workers", 2)
    assert ended.code == 1, ended.err
    assert assert_only_endless_tasks_failed(workspace, endless, 3) == {OVERRAN: 3}


def test_without_workers_a_plugin_that_loops_costs_its_own_task_only(
    workspace: Workspace, endless: Endless
) -> None:
    for number, name in enumerate(("Loops", "Catches")):
        endless.add_page(f"page{number}", with_step(name))
    endless.write()
    ended = workspace.process("run", "defs", "--workers", 0)
    assert ended.code == 1, ended.err
    assert assert_only_endless_tasks_failed(workspace, endless, 2) == {OVERRAN: 2}


def test_a_page_with_several_endless_tasks_loses_each_of_them_and_keeps_the_others(
    workspace: Workspace, endless: Endless
) -> None:
    endless.add_page("page", with_step("Loops"))
    tasks = endless.tasks("page")
    tasks["worse"] = {"dataDef": "name", **with_step("Matches")}
    endless.write()
    ended = workspace.scoopi("run", "defs", "--workers", 1)
    assert ended.code == 1, ended.err
    (error,) = workspace.run_json()["errors"]
    assert (error["cause"], error["count"]) == (OVERRAN, 2)
    assert workspace.rows() == endless.good_rows()


def test_pages_behind_one_that_does_not_end_are_done_by_another_worker(
    workspace: Workspace, endless: Endless
) -> None:
    workspace.settings |= {"scoopi.task.timeout": 600, "scoopi.shutdown.timeout": 2}
    names = [f"page{number}" for number in range(12)]
    for name in names:
        endless.add_page(name, with_step("LoopsOnOnePage"))
    endless.write()
    done = workspace.folder / "done.txt"

    def others_are_done() -> bool:
        return done.exists() and {*done.read_text().split()} == {*names[1:]}

    running = workspace.start("run", "defs", "--workers", 2, "--quiet")
    try:
        wait_until(others_are_done, "the end of the other pages", limit_s=60, running=running)
        running.signal(signal.SIGTERM)
        assert running.wait(60) == 143
    finally:
        running.kill_all()
    assert not workspace.left_behind()


def test_a_task_within_its_limit_is_let_end(workspace: Workspace, endless: Endless) -> None:
    waits = f"const end = Date.now() + {SCRIPT_MS // 2}; while (Date.now() < end);"
    script = f"(() => {{ {waits} return 'title'; }})()"
    endless.add_page("page", {}, data_def({"script": script}, "//h1"))
    endless.write()
    ended = workspace.scoopi("run", "defs", "--workers", 1)
    assert ended.code == 0, ended.err


def test_without_workers_two_signals_end_even_a_call_that_holds_the_interpreter(
    workspace: Workspace, endless: Endless
) -> None:
    endless.add_page("page", with_step("Matches"))
    endless.write()
    running = workspace.start("run", "defs", "--workers", 0, "--quiet")
    try:
        wait_until((workspace.folder / "held.txt").exists, "the endless call", running=running)
        pid = running.process.pid
        began = processor_ticks(pid)
        wait_until(lambda: processor_ticks(pid) > began + HELD_TICKS, "its work", 60, running)
        running.signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            running.process.wait(TIMEOUT_S)
        running.signal(signal.SIGINT)
        assert running.wait(60) == -signal.SIGINT
    finally:
        running.kill_all()
