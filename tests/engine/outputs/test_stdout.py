"""`--output -`: the rows, whole, once, at the end, and nothing else on stdout."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.engine.workspace import Workspace, wait_until
from tests.reliability.world import build_world
from tests.server.server import Server


@pytest.mark.parametrize("workers", [0, 2])
def test_rows_go_to_stdout_and_all_else_to_stderr(workspace: Workspace, tmp_path: Path, workers: int) -> None:
    world = build_world(tmp_path / "world", 3, 2)
    ended = workspace.process("run", world.defs, "--output", "-", "--workers", workers)
    assert ended.code == 0, ended.err
    assert Counter(ended.out.splitlines()) == world.rows
    assert "done" in ended.err
    assert workspace.run_json()["status"] == "done"
    assert not (workspace.run_folder() / "data.txt").exists()
    assert "nothing to resume" in workspace.scoopi("resume", "--output", "-").err


def test_a_stopped_run_writes_no_rows_and_resume_writes_them_all(
    workspace: Workspace, tmp_path: Path
) -> None:
    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", 4, 1, server.url(""))
        workspace.settings |= {"scoopi.loader.fetch.delay": 150}
        running = workspace.start("run", world.defs, "--output", "-", "--workers", 1)
        try:
            wait_until(lambda: len(server.log.all()) >= 2, "the second request", running=running)
            running.process.send_signal(signal.SIGTERM)
            out, _ = running.process.communicate(timeout=60)
            running.wait(60)
        finally:
            running.kill_all()
        assert (running.process.returncode, out) == (143, b"")
        assert "--output -" in (workspace.folder / "stderr.txt").read_text()
        ended = workspace.process("resume", "--output", "-", "--workers", 1)
    assert ended.code == 0, ended.err
    assert Counter(ended.out.splitlines()) == world.rows


def test_two_output_files_do_not_fit_one_stdout(workspace: Workspace, tmp_path: Path) -> None:
    world = build_world(tmp_path / "world", 1, 1)
    job = world.defs / "job.yml"
    other = (
        "titleTask: { dataDef: shelf, steps: { css: { appender: { class: DataAppender, previous: filter, "
        "next: end, plugins: [ plugin: { name: other, class: FileAppender, file: other.txt, "
        "plugins: [ plugin: { name: csv, class: CsvEncoder } ] } ] } } } }"
    )
    job.write_text(job.read_text().replace("titleTask: { dataDef: shelf }", other))
    ended = workspace.scoopi("run", world.defs, "--output", "-")
    assert ended.code == 2
    assert "one output file" in ended.err
    assert "other.txt" in ended.err
    assert not (workspace.folder / "output").exists() or not workspace.runs()


PRINTER = """
print("imported")

class Printer:
    def convert(self, value):
        print("converted", value)
        return value
"""
PRINTS = """titleTask:
      dataDef: shelf
      steps:
        css:
          prints: { class: DataConverter, previous: filter, next: appender, plugins: [
            plugin: { name: prints, class: Printer, item: title } ] }
"""


@pytest.mark.parametrize("workers", [0, 1])
def test_what_a_plugin_prints_never_comes_between_the_rows(
    workspace: Workspace, tmp_path: Path, workers: int
) -> None:
    world = build_world(tmp_path / "world", 2, 1)
    job = world.defs / "job.yml"
    job.write_text(job.read_text().replace("titleTask: { dataDef: shelf }", PRINTS))
    (world.defs / "plugins").mkdir()
    (world.defs / "plugins" / "printer.py").write_text(PRINTER)
    ended = workspace.process("run", world.defs, "--output", "-", "--workers", workers)
    assert ended.code == 0, ended.err
    assert Counter(ended.out.splitlines()) == world.rows
    assert ended.err.count("converted title\n") == 2
    checked = workspace.process("check", world.defs, "--format", "json")
    assert json.loads(checked.out)
    assert "imported" in checked.err
