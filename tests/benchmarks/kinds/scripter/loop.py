"""A table of 27 x 5 figures, and a script that is called with all of its rows."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from scoopi.configs.groups.page_groups import ScriptLimits
from scoopi.script.sandbox import Sandbox
from tests.benchmarks.kinds.pages import Rows, figure_rows, figures

SCRIPT = Path(__file__).with_name("round.js").read_text()
HOSTS = """
(core) => {
  class Fact {
    constructor(row) { this.row = row; }
    get value() { return this.row[2]; }
    setValue(value) { this.row[2] = value; }
  }
  class Item {
    constructor(row) { this.fact = new Fact(row); }
    getAxis(name) { return name === "fact" ? this.fact : null; }
  }
  let entry = null;
  return {
    load: (source) => { entry = core.evaluateGlobally(source + "; rounded"); return "loaded"; },
    run: (text) => {
      const rows = core.parse(text);
      entry({ items: rows.map((row) => new Item(row)) });
      return core.stringify(rows);
    },
  };
}
"""


def page() -> str:
    """Its page."""
    return figures(27, 5)


def rows(page: bytes) -> Rows:
    """By hand."""
    found = figure_rows(page)
    return [tuple(row) for row in json.loads(str(_sandbox().call("run", json.dumps(found))))]


@cache
def _sandbox() -> Sandbox:
    """The engine with its limits, and the script, as in a run; the objects around its rows are hand-made."""
    sandbox = Sandbox(ScriptLimits(), HOSTS)
    sandbox.call("load", SCRIPT)
    return sandbox
