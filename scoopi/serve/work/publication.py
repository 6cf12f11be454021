"""Publication: publishes the rows of a slot in its folder all at once, even if a process crashes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scoopi.synced_files import sync_file, sync_folder

MARK = ".attempt.json"
"""The file in a published folder that names its attempt and counts its rows."""
_NEW = ".new"


class Publication:
    """Publishes the rows of a slot in its folder all at once, even if a process crashes.

    The files are written in `.SLOT.part`. Once complete, it is renamed to `SLOT.new`; then the old `SLOT`
    becomes `SLOT~n`, and `SLOT.new` becomes `SLOT`. After a crash between two renames, `complete` does the
    rest. Each step is on disk before the next, so not even a power failure leaves an attempt that succeeded
    without its rows.

    Args:
        folder: the process's folder in its output folder.
        slot: the slot's text.
        keep_former: number of former versions to keep.
    """

    def __init__(self, folder: Path, slot: str, keep_former: int) -> None:
        self._folder = folder
        self._slot = slot
        self._keep_former = keep_former
        self.path = folder / slot
        self._new = folder / f"{slot}{_NEW}"

    def publish(self, files: Iterable[Path], attempt: str, rows: int, created: str = "") -> None:
        """Publish files; if those of this attempt are published already, do nothing.

        Args:
            created: when the attempt was created, as an attempt of a removed job may have had the same id.
        Raises:
            OSError: the output folder cannot be written.
        """
        self.complete()
        mark = _mark(self.path)
        if mark.get("attempt") == attempt and mark.get("created", created) == created:
            return
        part = self._folder / f".{self._slot}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for file in files:
            _copied(file, part / file.name)
        (part / MARK).write_text(json.dumps({"attempt": attempt, "created": created, "rows": rows}))
        sync_file(part / MARK)
        sync_folder(part)
        part.rename(self._new)
        self.complete()

    def complete(self) -> None:
        """Finish what a crash has interrupted, and remove the oldest versions beyond `keep_former`."""
        if self._new.is_dir():
            if self.path.is_dir():
                former = self._former()
                number = former[-1][0] + 1 if former else 1
                self.path.rename(self._folder / f"{self._slot}~{number}")
            self._new.rename(self.path)
            sync_folder(self._folder)
        for _, path in self._former()[: -self._keep_former or None]:
            shutil.rmtree(path, ignore_errors=True)

    def _former(self) -> list[tuple[int, Path]]:
        prefix = f"{self._slot}~"
        found = []
        for path in _folders(self._folder):
            number = path.name.removeprefix(prefix)
            if path.name.startswith(prefix) and number.isdigit():
                found.append((int(number), path))
        return sorted(found)


def complete_all(folder: Path, keep_former: int) -> None:
    """Finish the publications of a process that a crash has interrupted."""
    for path in _folders(folder):
        if path.name.endswith(_NEW):
            with contextlib.suppress(FileNotFoundError):  # another `serve` was first
                Publication(folder, path.name.removesuffix(_NEW), keep_former).complete()


def published(folder: Path) -> tuple[str, int]:
    """Return the attempt whose rows a folder has, and their number; empty and 0 if it has none."""
    mark = _mark(folder)
    return mark.get("attempt", ""), mark.get("rows", 0)


def last_rows(folder: Path) -> int | None:
    """Return the number of rows of the slot that was published last; None if there is none."""
    marks = [path / MARK for path in _folders(folder) if (path / MARK).exists()]
    latest = max(marks, key=lambda path: path.stat().st_mtime_ns, default=None)
    return published(latest.parent)[1] if latest is not None else None


def _mark(folder: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((folder / MARK).read_text()))
    except (OSError, ValueError):
        return {}


def _folders(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")]
    except FileNotFoundError:
        return []


def _copied(source: Path, target: Path) -> None:
    """Link a file, or copy it where that is not possible; a link will do, as files of runs never change."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
        sync_file(target)
