"""`scoopi.parser.plain` decides which reader reads pages; the rows are the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi import extract
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.grid.plain_reader import PlainReader

EXAMPLE = Path(__file__).resolve().parents[3] / "defs" / "examples" / "quickstart"
PLAIN = {"scoopi.parser.plain": "true"}


@pytest.mark.parametrize(("configs", "not_in_use"), [({}, PlainReader), (PLAIN, GridReader)])
def test_the_setting_decides_what_reads_a_page(
    configs: dict[str, str], not_in_use: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (EXAMPLE / "pages" / "bread.html").read_bytes()
    rows = extract(EXAMPLE, page, "/pages/bread.html")
    monkeypatch.setattr(not_in_use, "read", None)
    assert extract(EXAMPLE, page, "/pages/bread.html", configs=configs) == rows != []
