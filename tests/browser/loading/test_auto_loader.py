"""`loader: auto` in runs: the browser loads only the pages that need it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.browser.conftest import LATE_TABLE
from tests.engine.workspace import Workspace
from tests.server.server import Server

DEFS = """
locatorGroups:
  plain: { locators: [ { name: p0, url: "URL/static0.html" }, { name: p1, url: "URL/static1.html" } ] }
  mixed: { locators: [ { name: m0, url: "URL/static2.html" }, { name: m1, url: "URL/late.html" } ] }
  hopeful: { locators: [ { name: h0, url: "URL/later.html" } ] }
taskGroups:
  plain: { loader: auto, task: { dataDef: prices } }
  mixed:
    loader: auto
    browser: { until: { selector: "#prices" } }
    task: { dataDef: prices }
  hopeful: { loader: auto, task: { dataDef: prices } }
dataDefs:
  prices: { each: "#prices tr", fields: { loaf: td, price: "td:nth-child(2)" } }
"""


def test_only_pages_whose_records_plain_http_does_not_bring_are_loaded_in_a_browser(
    tmp_path: Path, server: Server, pages: Path
) -> None:
    (tmp_path / "workspace").mkdir()
    workspace = Workspace(tmp_path / "workspace")
    workspace.settings |= {
        "scoopi.loader.fetch.delay": 0,
        "scoopi.workers": 1,
        "scoopi.webDriver.browsers": 1,
    }
    for number in range(3):
        (pages / f"static{number}.html").write_text(f"<table id=prices><tr><td>R{number}<td>1</table>")
    for name in ("late.html", "later.html"):
        (pages / name).write_text(LATE_TABLE)
    (workspace.folder / "defs.yml").write_text(DEFS.replace("URL", server.url("")))
    ended = workspace.process("run", "defs.yml")
    assert ended.code == 0, ended.err
    loaves = [json.loads(row)["loaf"] for row in workspace.rows(file="prices.jsonl").elements()]
    assert sorted(loaves) == ["R0", "R1", "R2", "Rye", "Rye"]
    assert workspace.run_json()["loads"] == {
        "plain": {"http": 2, "browser": 0},
        "mixed": {"http": 1, "browser": 1},
        "hopeful": {"http": 0, "browser": 1},
    }
    assert "mixed: 1 by plain HTTP, 1 in a browser" in ended.err
    agents = [(each.path, each.header("Accept-Encoding")) for each in server.log.all()]
    assert [path for path, _ in agents].count("/late.html") == 2, "once by plain HTTP, once in the browser"
    fetched = workspace.process("fetch", server.url("/late.html"), "--defs", "defs.yml")
    assert fetched.out.splitlines()[-1].endswith(", loaded by browser")
    assert not workspace.left_behind()
