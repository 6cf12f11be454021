"""Stores for the tests of the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.store.ports import Store
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A settled store without faults."""
    store = SettlingStore(SqliteStore(tmp_path / "store.db"))
    yield store
    store.close()


class Clock:
    """A monotonic clock that goes when told; in seconds."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()
