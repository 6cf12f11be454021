"""A desk whose folder is the current one; hosts are asked without delay."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Runs happen in a folder of their own, without delay."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    desk = Desk(folder)
    desk.settings = {"scoopi.loader.fetch.delay": 0}
    return desk
