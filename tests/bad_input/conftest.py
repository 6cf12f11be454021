"""A desk, and a town whose good pages stand beside a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_input.town import Town
from tests.engine.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose folder is the current one; hosts are asked without delay."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    desk = Desk(folder)
    desk.settings = {
        "scoopi.loader.fetch.delay": 0,
        "scoopi.loader.fetch.errorDelay": 0,
        "scoopi.loader.fetch.hostTimeout": 1,
        "scoopi.retry.delay": 5,
    }
    return desk


@pytest.fixture
def town(desk: Desk) -> Town:
    """Definitions in `defs` and good pages in `pages` of the desk."""
    return Town(desk.folder)
