"""What becomes of script plugins, by their process: a program of the test's own in place of Scoopi's."""

from __future__ import annotations

import os
import resource
import sys

import pytest

from scoopi.browser.scripts.script_messages import ScriptFailed, ScriptRequest
from scoopi.browser.scripts.script_process import ScriptProcess
from scoopi.model.place import Place
from scoopi.model.scrape.plugin_def import PluginDef

ORDER = ScriptRequest(
    (PluginDef("opener", "BasicScript", place=Place("a.yml", 3, 1)),), "http://d", "s", "chrome"
)
ECHO = """
import json, os, sys
for line in sys.stdin:
    name = json.loads(line)["session"]
    print(json.dumps(None if name == "s" else {"what": str(os.getpid()), "cause": name}), flush=True)
"""


def process(program: str) -> ScriptProcess:
    return ScriptProcess([sys.executable, "-c", program])


def test_one_process_serves_one_page_after_another_until_it_is_killed() -> None:
    scripts = process(ECHO)
    assert scripts.run(ORDER, 60.0) is None
    other = ScriptRequest(ORDER.plugins, "http://d", "t", "chrome")
    first, second = scripts.run(other, 60.0), scripts.run(other, 60.0)
    assert first == second
    assert isinstance(first, ScriptFailed)
    assert first.cause == "t"
    scripts.kill()
    scripts.kill()
    third = scripts.run(other, 60.0)
    assert third is not None
    assert third.what != first.what, "another process"
    scripts.kill()


def test_a_script_that_does_not_end_is_ended_and_named_by_its_place() -> None:
    scripts = process("while True: pass")
    failed = scripts.run(ORDER, 0.2)
    assert failed is not None
    assert failed.cause.startswith("the script plugin opener at a.yml")
    assert failed.what == f"{failed.cause} within 0 s"
    assert "endless loop" in failed.hint


@pytest.mark.parametrize("program", ["raise SystemExit", "input(); print('half', end='', flush=True)"])
def test_a_process_that_ends_fails_its_page(program: str) -> None:
    failed = process(program).run(ORDER, 60.0)
    assert failed is not None
    assert failed.what.startswith("the process of the script plugin opener at a.yml")
    assert failed.what.endswith("has ended")


def test_a_pool_may_have_more_files_open_than_select_can_name() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1024)]
    scripts = process(ECHO)
    try:
        assert scripts.run(ORDER, 60.0) is None
    finally:
        scripts.kill()
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
