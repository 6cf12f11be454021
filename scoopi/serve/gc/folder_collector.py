"""FolderCollector: removes folders of finished attempts and of removed projects from a state folder."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scoopi.model.schedule.schedule_records import PAST, AttemptRecord
from scoopi.serve.gc.record_collector import KEPT_AT_LEAST, Collected, ended_at
from scoopi.serve.state import State
from scoopi.serve.work.attempt_environment import key_of_folder
from scoopi.serve.work.run_specs import runs_folder

_STEP = 100
"""The most folders that one step checks."""


class FolderCollector:
    """Removes the folders of finished attempts, and unpacked projects that are no longer in the store.

    Args:
        state: the records, and the folder.
        now: the time from which ages are counted.
        is_dry: remove nothing.
        output: the folder that output folders are relative to; None for the current one.
    """

    def __init__(
        self, state: State, now: datetime, *, is_dry: bool = False, output: Path | None = None
    ) -> None:
        self._folder, self._store = state.folder, state.store
        self._now, self._is_dry = now, is_dry
        _, schedule = state.current()
        self._runs = {
            runs_folder(output or Path.cwd(), each)
            for each in schedule.processes.values()
            if each.executes.kind == "scrape"
        }
        self._kept = max(schedule.settings.gc.retention.logs, KEPT_AT_LEAST)

    def steps(self) -> Iterator[list[Collected]]:
        """Run one round in small steps; each yields what it has removed.

        Raises:
            StoreError: the store does not answer; the next round removes the rest.
        """
        for root in (self._folder / "work", *self._runs):
            names = _names(root)
            for begin in range(0, len(names), _STEP):
                yield self._work(root, names[begin : begin + _STEP])
        yield self._bundles()

    def _work(self, root: Path, names: Sequence[str]) -> list[Collected]:
        keys = {name: key for name in names if (key := key_of_folder(name))}
        records = self._store.get(AttemptRecord, [*keys.values()])
        collected = []
        for name, key in keys.items():
            path, record = root / name, records.get(key)
            if record is None:
                is_old = self._is_untouched(path, self._kept)
                reason = "its attempt is not recorded any more"
            else:
                ended = ended_at(record)
                is_old = record.phase == PAST and self._now - ended > self._kept
                reason = f"ended at {ended.isoformat(timespec='seconds').replace('+00:00', 'Z')}"
            if is_old and not _is_used(path) and self._is_removed(path):
                collected.append(Collected("folder", f"{root.name}/{name}", reason))
        return collected

    def _bundles(self) -> list[Collected]:
        folder = self._folder / "bundles"
        return [
            Collected("folder", f"bundles/{name}", "the store does not have it any more")
            for name in _names(folder)
            if self._is_untouched(folder / name, KEPT_AT_LEAST) and not self._store.has_bundle(name)
            if self._is_removed(folder / name)
        ]

    def _is_untouched(self, path: Path, kept: timedelta) -> bool:
        try:
            changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except FileNotFoundError:  # another process was first
            return False
        return self._now - changed > kept

    def _is_removed(self, path: Path) -> bool:
        if not self._is_dry:
            shutil.rmtree(path, ignore_errors=True)
        return self._is_dry or not path.exists()


def _is_used(path: Path) -> bool:
    """Whether a supervisor runs an attempt there, even if this store, which may be another one, has none."""
    try:
        lock = os.open(path / "lock", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _names(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    except OSError:  # it does not exist, or may not be read: an output folder may be anywhere
        return []
