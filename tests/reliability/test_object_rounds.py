"""The short form of the rounds with an object store: whatever is killed, rows and objects come out once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reliability.file_rounds import SETTINGS, FileWorld
from tests.reliability.object_rounds import BLOWS, UPLOAD_MS, play_object_round
from tests.server.object_store import ObjectStore

PAGES = 5


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with ObjectStore(UPLOAD_MS) as store:
        yield store


@pytest.fixture
def files(tmp_path: Path, store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileWorld]:
    for name, text in {**SETTINGS, **store.environment}.items():
        monkeypatch.setenv(name, text)
    files = FileWorld(tmp_path / "world", PAGES)
    with files.server:
        yield files


@pytest.mark.parametrize("at", range(len(BLOWS)))
def test_rows_and_objects_come_out_once_and_together(
    files: FileWorld, store: ObjectStore, tmp_path: Path, at: int
) -> None:
    assert play_object_round(files, store, tmp_path / f"bucket-{at}", f"objects {at}", [BLOWS[at], BLOWS[0]])
