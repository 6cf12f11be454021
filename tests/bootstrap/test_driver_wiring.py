"""Runs whose definitions have scripts for the browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.processes import programs_below
from tests.engine.workspace import Workspace
from tests.server.answer import Answer
from tests.server.server import Server

DEFS = """
locatorGroups: {{ bread: {{ locators: [ {{ name: p, url: "{url}" }} ] }} }}
taskGroups: {{ bread: {{ prices: {{ dataDef: prices, steps: driven }} }} }}
steps:
  driven:
    jsoupDefault:
      loader:
        class: org.codetab.scoopi.step.extract.DomLoader
        previous: seeder
        next: parser
        plugins:
          - plugin:
              name: opener
              class: org.codetab.scoopi.plugin.script.BasicScript
              script: |
                function execute(driver) {{
                  {body}
                }}
dataDefs:
  prices:
    query: {{ block: "body", selector: "td:nth-child(2)" }}
    items: [ item: {{ name: loaf, index: 1, selector: "td:nth-child(1)" }} ]
"""
TABLE = "document.body.innerHTML = '<table><tr><td>Rye<td>4.20</table>'"


@pytest.mark.parametrize("workers", [0, 1])
def test_definitions_with_a_script_for_the_browser_give_rows(tmp_path: Path, workers: int) -> None:
    with Server(lambda path: Answer(b"<p>bread</p>")) as server:
        (tmp_path / "defs").mkdir()
        text = DEFS.format(url=server.url("/"), body=f'driver.executeScript("{TABLE}");')
        (tmp_path / "defs" / "bread.yml").write_text(text)
        workspace = Workspace(tmp_path)
        workspace.settings = {
            "scoopi.loader.fetch.delay": 0,
            "scoopi.workers": workers,
            "scoopi.loader.robots": "false",
        }
        run = workspace.start("run", "defs")
        assert run.wait(120.0) == 0
        assert (workspace.run_folder() / "data.txt").read_text() == "p|bread|Rye|4.20\n"
        assert [*programs_below(run.process.pid, "chromium")] == []
