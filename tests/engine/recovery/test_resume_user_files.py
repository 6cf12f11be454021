"""A run goes on only with the plugins, own steps and scripts that it was begun with."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.workspace import Workspace, wait_until
from tests.server.server import Server

PAGES = 4
DEFINITIONS = """\
locatorGroups:
  page:
    locators:
{locators}
taskGroups:
  page: {{ task: {{ dataDef: titles, steps: marked }} }}
dataDefs:
  titles:
    query: {{ block: "body", selector: "h1" }}
    items: [ item: {{ name: title, value: title }} ]
steps:
  marked:
    css:
      own: {{ class: Own, previous: filter, next: script }}
      script:
        class: Scripter
        previous: own
        next: python
        plugins:
          - plugin: {{ name: s, class: BasicScript, script: "/js/t.js", scripts: [ "/js/s.js" ] }}
      python:
        class: Scripter
        previous: script
        next: convert
        plugins:
          - plugin: {{ name: p, class: python_script }}
      convert:
        class: DataConverter
        previous: python
        next: appender
        plugins:
          - plugin: {{ name: c, class: Marking, item: fact }}
"""
FILES = {
    "plugins/own.py": """
from scoopi.model.handover import ToTask
from scoopi.steps.step import Step

class Own(Step):
    def run(self, payload):
        return ToTask(payload.advance(payload.input))
""",
    "plugins/script.py": "def python_script(data):\n    return data\n",
    "plugins/convert.py": """
from mark import MARK

class Marking:
    def convert(self, value):
        return f"{MARK} {value}"
""",
    "plugins/mark.py": "MARK = 'old'\n",
    "js/s.js": "function execute(data) { return tidy(data); }\n",
    "js/t.js": "function tidy(data) { return data; }\n",
}


@pytest.fixture
def defs(tmp_path: Path) -> Path:
    """Definitions with a file of every kind that a user may write."""
    defs = tmp_path / "defs"
    for name, text in FILES.items():
        (defs / name).parent.mkdir(parents=True, exist_ok=True)
        (defs / name).write_text(text)
    return defs


@pytest.fixture
def stopped(tmp_path: Path, defs: Path, workspace: Workspace) -> Iterator[None]:
    """A run of them that was stopped after its second page."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(PAGES):
        (pages / f"{number}.html").write_text(f"<h1>Page {number}</h1>")
    with Server(pages) as site:
        locators = [f'      - {{ name: p{n}, url: "{site.url(f"/{n}.html")}" }}' for n in range(PAGES)]
        (defs / "job.yml").write_text(DEFINITIONS.format(locators="\n".join(locators)))
        workspace.settings |= {"scoopi.loader.fetch.delay": 300}
        running = workspace.start("run", defs, "--workers", 1, "--quiet")
        try:
            wait_until(lambda: len(site.log.all()) >= 2, "the second request", running=running)
            running.signal(signal.SIGINT)
            assert running.wait(60) == 130
        finally:
            running.kill_all()
        yield


@pytest.mark.usefixtures("stopped")
def test_an_edited_file_of_any_kind_is_refused_until_it_is_as_it_was(
    workspace: Workspace, defs: Path
) -> None:
    for name, text in FILES.items():
        (defs / name).write_text(text.replace("old", "new") + "\n")
        ended = workspace.scoopi("resume", "--workers", 0)
        assert ended.code == 3, (name, ended.err)
        assert f"has changed since the run began: {(defs / name).resolve()}" in ended.err
        assert "restore it to continue" in ended.err
        (defs / name).write_text(text)
    (defs / "js/s.js").unlink()
    assert f"has changed since the run began: {defs / 'js/s.js'}" in workspace.scoopi("resume").err
    (defs / "js/s.js").write_text(FILES["js/s.js"])
    ended = workspace.scoopi("resume", "--workers", 0)
    assert ended.code == 0, ended.err
    assert sorted(workspace.rows()) == [f"p{n}|page|title|old Page {n}" for n in range(PAGES)]
