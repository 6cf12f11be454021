"""GridReading: each block and value of a page is read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scoopi.errors import ParseError
from scoopi.model.data import ScriptRow
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_reading import GridReading
from tests.parse.grid_axes import TABLE


class CountingEngine(CssEngine):
    """Counts how often something is looked for in the page."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def compile_block(self, selector: str) -> Any:
        return self._counted(f"block {selector}", super().compile_block(selector))

    def compile_value(self, selector: str) -> Any:
        return self._counted(f"value {selector}", super().compile_value(selector))

    def _counted(self, what: str, query: Callable[..., Any]) -> Callable[..., Any]:
        def asked(*given: Any) -> Any:
            self.asked.append(what)
            return query(*given)

        return asked


def test_a_value_is_looked_for_once_also_when_there_is_none() -> None:
    engine = CountingEngine()
    reading = GridReading(engine, TABLE, None)
    for _ in range(2):
        assert reading.value("#t", "tr:nth-child(1) th") == "Oslo"
        assert reading.value("#t", "caption") is None
        assert reading.value("#none", "th") is None
    assert sorted(engine.asked) == [
        "block #none",
        "block #t",
        "value caption",
        "value th",
        "value tr:nth-child(1) th",
    ]


def test_several_cells_are_read_at_once() -> None:
    reading = GridReading(CssEngine(), TABLE, None)
    cells = [(("#t", f"tr:nth-child({row}) th"), None) for row in (1, 2, 3, 1)]
    assert reading.values(cells) == ["Oslo", "Rome", None, "Oslo"]
    assert reading.known["#t", "tr:nth-child(2) th"] == "Rome"


def test_a_script_needs_something_that_runs_it() -> None:
    row = ScriptRow((), 0, (), ())
    assert GridReading(CssEngine(), TABLE, lambda script, _: script.upper()).script("a", row) == "A"
    with pytest.raises(ParseError, match="no script runner is given"):
        GridReading(CssEngine(), TABLE, None).script("a", row)
