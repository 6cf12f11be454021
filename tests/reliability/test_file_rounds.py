"""The short form of the rounds with files: whatever is killed, rows and files come out once, together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reliability.file_rounds import SETTINGS, FileWorld, play_file_round
from tests.reliability.rounds import BLOWS
from tests.reliability.world import World

PAGES = 5


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileWorld]:
    for name, text in SETTINGS.items():
        monkeypatch.setenv(name, text)
    files = FileWorld(tmp_path / "world", PAGES)
    with files.server:
        yield files


@pytest.fixture
def world(files: FileWorld) -> World:
    return files.write()


@pytest.mark.parametrize("blow", BLOWS)
def test_rows_and_files_come_out_once_and_together(
    files: FileWorld, world: World, tmp_path: Path, blow: str
) -> None:
    assert play_file_round(files, world, tmp_path / "round", f"files {blow}", [blow, blow])
