"""The store of downloaded files."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.fetch.downloads.file_store import FileStore
from scoopi.fetch.file_client import FileFinder


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """An empty store of files."""
    return FileStore(tmp_path / "files", FileFinder(tmp_path, tmp_path))
