"""A page whose steps take long makes no other page late: their requests continue meanwhile."""

from __future__ import annotations

import pytest

from tests.engine.workspace import Workspace
from tests.server.server import Server

TIMEOUT_MS = 800
STEP_S = 1.6
DEFS = """\
locatorGroups:
  page:
    locators:
      - {{ name: heavy, url: "{heavy}" }}
{others}
taskGroups:
  page:
    pageTask:
      dataDef: text
      steps: {{ css: {{ heavy: {{ class: Heavy, previous: parser, next: filter }} }} }}
dataDefs:
  text:
    query: {{ block: "body", selector: "p" }}
    items: [ item: {{ name: text, value: text }} ]
"""
PLUGIN = f"""\
import time

from scoopi.model.handover import ToTask
from scoopi.steps.step import Step


class Heavy(Step):
    def run(self, payload):
        if payload.locator.name == "heavy":
            time.sleep({STEP_S})
        return ToTask(payload)
"""


@pytest.mark.parametrize("workers", [0, 1])
def test_a_page_that_takes_long_makes_no_other_late(workspace: Workspace, workers: int) -> None:
    """The others answer in 0.3 s and may take 0.8 s; the steps of the first take 1.6 s."""
    folder = workspace.folder / "defs"
    (folder / "plugins").mkdir(parents=True)
    (folder / "plugins" / "heavy.py").write_text(PLUGIN)
    with Server(str.encode) as server:
        others = "\n".join(
            f'      - {{ name: n{number}, url: "{server.url(f"/bad/slow?ms=300&n={number}")}" }}'
            for number in range(6)
        )
        (folder / "job.yml").write_text(DEFS.format(heavy=server.url("/bad/empty"), others=others))
        workspace.settings |= {
            "scoopi.loader.fetch.delay": 0,
            "scoopi.loader.fetch.parallelism": 3,
            "scoopi.webClient.timeout": TIMEOUT_MS,
        }
        ended = workspace.scoopi("run", "defs", "--workers", workers)
    assert ended.code == 0, ended.err
    assert workspace.run_json()["jobs"]["done"] == 7
