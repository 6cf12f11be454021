"""Each kind of definitions gives the rows of its hand-written loop."""

from __future__ import annotations

import importlib

import pytest

from tests.benchmarks.kinds.__main__ import FOLDER, KINDS, values


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_gives_the_rows_of_its_loop(kind: str) -> None:
    loop = importlib.import_module(f"tests.benchmarks.kinds.{kind}.loop")
    page = loop.page().encode()
    rows = loop.rows(page)
    assert rows
    assert values(FOLDER / kind / "defs.yml", page) == rows
