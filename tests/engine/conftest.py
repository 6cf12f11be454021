"""A desk in a fresh folder, and a small site of files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.desk import Desk
from tests.engine.downloading import Downloading, FileSite
from tests.reliability.world import World, build_world


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose folder is the current one."""
    folder = tmp_path / "desk"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Desk(folder)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Twelve pages."""
    return build_world(tmp_path / "world", 4, 2)


@pytest.fixture
def downloading(desk: Desk) -> Iterator[Downloading]:
    """Runs of definitions over a site of files, in a fresh folder."""
    site = FileSite()
    with site.server:
        yield Downloading(desk, site)
