"""A desk in a fresh folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose folder is the current one."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Desk(folder)
