"""A workspace whose folder is the current one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace in the current folder, with the default delay."""
    monkeypatch.chdir(tmp_path)
    return Workspace(tmp_path)
