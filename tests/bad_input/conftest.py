"""A desk, and a town whose good pages stand beside a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_input.town import Town
from tests.engine.desk import Desk, quick_desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose folder is the current one; hosts are asked without delay."""
    return quick_desk(tmp_path / "desk", monkeypatch)


@pytest.fixture
def town(desk: Desk) -> Town:
    """Definitions in `defs` and good pages in `pages` of the desk."""
    return Town(desk.folder)
