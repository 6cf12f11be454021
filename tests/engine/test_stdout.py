"""`--output -`: the rows, whole, once, at the end, and nothing else on stdout."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.engine.desk import Desk, wait_until
from tests.reliability.world import build_world
from tests.server.server import Server


@pytest.mark.parametrize("workers", [0, 2])
def test_rows_go_to_stdout_and_all_else_to_stderr(desk: Desk, tmp_path: Path, workers: int) -> None:
    world = build_world(tmp_path / "world", 3, 2)
    ended = desk.process("run", world.defs, "--output", "-", "--workers", workers)
    assert ended.code == 0, ended.err
    assert Counter(ended.out.splitlines()) == world.rows
    assert "done" in ended.err
    assert desk.run_json()["status"] == "done"
    assert not (desk.run_folder() / "data.txt").exists()
    assert "nothing to resume" in desk.scoopi("resume", "--output", "-").err


def test_a_stopped_run_writes_no_rows_and_resume_writes_them_all(desk: Desk, tmp_path: Path) -> None:
    with Server(tmp_path / "world" / "pages") as server:
        world = build_world(tmp_path / "world", 4, 1, server.url(""))
        desk.settings |= {"scoopi.loader.fetch.delay": 150}
        running = desk.start("run", world.defs, "--output", "-", "--workers", 1)
        try:
            wait_until(lambda: len(server.log.all()) >= 2, "the second request", running=running)
            running.process.send_signal(signal.SIGTERM)
            out, _ = running.process.communicate(timeout=60)
            running.wait(60)
        finally:
            running.kill_all()
        assert (running.process.returncode, out) == (143, b"")
        assert "--output -" in (desk.folder / "stderr.txt").read_text()
        ended = desk.process("resume", "--output", "-", "--workers", 1)
    assert ended.code == 0, ended.err
    assert Counter(ended.out.splitlines()) == world.rows


def test_two_output_files_do_not_fit_one_stdout(desk: Desk, tmp_path: Path) -> None:
    world = build_world(tmp_path / "world", 1, 1)
    job = world.defs / "job.yml"
    other = (
        "titleTask: { dataDef: shelf, steps: { css: { appender: { class: DataAppender, previous: filter, "
        "next: end, plugins: [ plugin: { name: other, class: FileAppender, file: other.txt, "
        "plugins: [ plugin: { name: csv, class: CsvEncoder } ] } ] } } } }"
    )
    job.write_text(job.read_text().replace("titleTask: { dataDef: shelf }", other))
    ended = desk.scoopi("run", world.defs, "--output", "-")
    assert ended.code == 2
    assert "one output file" in ended.err
    assert "other.txt" in ended.err
    assert not (desk.folder / "output").exists() or not desk.runs()


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
def test_what_a_plugin_prints_never_comes_between_the_rows(desk: Desk, tmp_path: Path, workers: int) -> None:
    world = build_world(tmp_path / "world", 2, 1)
    job = world.defs / "job.yml"
    job.write_text(job.read_text().replace("titleTask: { dataDef: shelf }", PRINTS))
    (world.defs / "plugins").mkdir()
    (world.defs / "plugins" / "printer.py").write_text(PRINTER)
    ended = desk.process("run", world.defs, "--output", "-", "--workers", workers)
    assert ended.code == 0, ended.err
    assert Counter(ended.out.splitlines()) == world.rows
    assert ended.err.count("converted title\n") == 2
    checked = desk.process("check", world.defs, "--format", "json")
    assert json.loads(checked.out)
    assert "imported" in checked.err
