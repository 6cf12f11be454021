"""A table of 27 x 5 figures, and a script that is called for each line."""

from __future__ import annotations

from functools import cache

from scoopi.configs.groups.page_groups import ScriptLimits
from scoopi.script.sandbox import Sandbox
from tests.benchmarks.kinds.pages import Rows, figures, root_of

HOSTS = "() => ({ kind: (value) => value.length > 6 ? 'long' : 'short' })"


def page() -> str:
    """Its page."""
    return figures(27, 5)


def rows(page: bytes) -> Rows:
    """By hand."""
    sandbox = _sandbox()
    table = root_of(page).find(".//table[@id='figures']")
    head, *lines = table.iter("tr")
    years = [cell.text for cell in head][1:]
    found: Rows = []
    for line in lines:
        name, *values = [cell.text for cell in line]
        kind = str(sandbox.call("kind", name))
        found += [(name, kind, year, value) for year, value in zip(years, values, strict=True)]
    return found


@cache
def _sandbox() -> Sandbox:
    """The engine with its limits, as in a run."""
    return Sandbox(ScriptLimits(), HOSTS)
