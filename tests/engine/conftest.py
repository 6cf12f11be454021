"""A workspace in a fresh folder, and a small site of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.downloads.downloading import Downloading, FileSite
from tests.engine.workspace import Workspace
from tests.reliability.world import World, build_world


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose folder is the current one."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Workspace(folder)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Twelve pages."""
    return build_world(tmp_path / "world", 4, 2)


@pytest.fixture
def downloading(workspace: Workspace) -> Iterator[Downloading]:
    """Runs of definitions over a site of files, in a fresh folder."""
    site = FileSite()
    with site.server:
        yield Downloading(workspace, site)
