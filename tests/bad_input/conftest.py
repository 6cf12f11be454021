"""A workspace, and a town whose good pages stand beside a bad one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_input.town import Town
from tests.engine.workspace import Workspace, quick_workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose folder is the current one; hosts are asked without delay."""
    return quick_workspace(tmp_path / "workspace", monkeypatch)


@pytest.fixture
def town(workspace: Workspace) -> Town:
    """Definitions in `defs` and good pages in `pages` of the workspace."""
    return Town(workspace.folder)
