"""The sources of a script as one text, and where its lines come from."""

from __future__ import annotations

import pytest

from scoopi.script.entry_script import EntryScript


@pytest.mark.parametrize(("line", "own"), [(3, 1), (4, 2), (6, 1), (8, 3)])
def test_a_line_is_that_of_its_source(line: int, own: int) -> None:
    script = EntryScript(["const a = 1;\nconst b = 2;", "x\ny\nz"], "execute")
    assert script.own_line(line) == own
