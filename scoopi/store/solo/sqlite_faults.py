"""Turns SQLite's errors into StoreErrors, and waits for a file that another process has locked."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from scoopi.errors import StoreError

SCHEDULE_FILE = "state.db"
"""Name of the file with the scheduler's records; other files are stores of runs."""
_PAUSE_S = 0.01
_DAMAGED_SCHEDULE = "the file is damaged: restore a copy, or move it away and deploy the project again"
_SCHEDULE_HINTS = (
    ("SQLITE_FULL", "free space on this disk, then try again"),
    ("SQLITE_CORRUPT", _DAMAGED_SCHEDULE),
    ("SQLITE_NOTADB", _DAMAGED_SCHEDULE),
    ("SQLITE_IOERR", "check the disk, its space and its quota, then try again"),
)
_DAMAGED = "the file is damaged: keep the run's folder as it is, and start a new run"
_HINTS = (
    ("SQLITE_FULL", "free space on this disk, then `scoopi resume`"),
    ("SQLITE_BUSY", "another process uses this file: end it, then try again"),
    ("SQLITE_LOCKED", "another process uses this file: end it, then try again"),
    ("SQLITE_READONLY", "give this user the right to write this file and its folder"),
    ("SQLITE_CANTOPEN", "give this user the right to write this file and its folder"),
    ("SQLITE_PERM", "give this user the right to write this file and its folder"),
    ("SQLITE_CORRUPT", _DAMAGED),
    ("SQLITE_NOTADB", _DAMAGED),
    ("SQLITE_IOERR", "check the disk, its space and its quota, then `scoopi resume`"),
)


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """The StoreError for an error of SQLite."""
    code = getattr(error, "sqlite_errorname", "")
    hints = (*_SCHEDULE_HINTS, *_HINTS) if path.name == SCHEDULE_FILE else _HINTS
    hint = next((hint for prefix, hint in hints if code.startswith(prefix)), "try again")
    named = f"{error} ({code})" if code else str(error)
    return StoreError(f"{_owner(path)} cannot be used: {named}", at=str(path), hint=hint)


def damaged_store(path: Path, why: str) -> StoreError:
    """The StoreError for a file that SQLite can read, but that is not a store."""
    hint = _DAMAGED_SCHEDULE if path.name == SCHEDULE_FILE else _DAMAGED
    return StoreError(f"{_owner(path)} cannot be used: {why}", at=str(path), hint=hint)


def _owner(path: Path) -> str:
    return "the scheduler's store" if path.name == SCHEDULE_FILE else "the run's store"


def set_when_free(connection: sqlite3.Connection, pragmas: Iterable[str], seconds: float) -> None:
    """Execute pragmas, waiting while another process has locked the file.

    The connection's timeout does not cover this: SQLite rejects the change of a new file to a write-ahead log
    immediately while another process writes to it, which happens if processes create one store at a time.

    Args:
        seconds: how long to wait, for all pragmas together.

    Raises:
        sqlite3.Error: the file is still locked after that time, or a pragma fails otherwise.
    """
    until = time.monotonic() + seconds
    for pragma in pragmas:
        while True:
            try:
                connection.execute(pragma)
                break
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
            time.sleep(_PAUSE_S)
