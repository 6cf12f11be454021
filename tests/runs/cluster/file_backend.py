"""FileBackend: a cluster of nodes in one process, whose maps are files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from scoopi.store.ports import Store
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.faulty_store import Faults, FaultyStore


@dataclass
class FileBackend:
    """Each map's name is a file; writes fail as planned.

    Attributes:
        removed: the names of the maps that were removed, in order.
    """

    folder: Path
    faults: Faults = field(default_factory=Faults)
    canaries: tuple[str, ...] = ("canary",)

    def __post_init__(self) -> None:
        self._opened: dict[str, Store] = {}
        self.removed: list[str] = []

    def store(self, maps: str = "", is_gone: Callable[[], bool] | None = None) -> SettlingStore:
        if maps not in self._opened:
            self._opened[maps] = FaultyStore(SqliteStore(self.folder / f"{maps or 'grid'}.db"), self.faults)
        return SettlingStore(self._opened[maps])

    @property
    def name(self) -> str:
        return "the test's store"

    def remove(self, maps: str) -> None:
        self.removed.append(maps)
        self._opened.pop(maps).close()
        (self.folder / f"{maps}.db").unlink()

    def members(self) -> list[str]:
        return []

    def most_members(self) -> int:
        return 0

    def expedite(self, end: float, left_s: float) -> None:
        return

    def warn_of_jobs(self, jobs: int) -> None:
        return

    def close(self) -> None:
        for store in self._opened.values():
            store.close()
