"""Errors of SQLite as the user needs them: the file, the fault and the hint."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from scoopi.errors import StoreError

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
    """The StoreError for it."""
    code = getattr(error, "sqlite_errorname", "")
    hint = next((hint for prefix, hint in _HINTS if code.startswith(prefix)), "try again")
    named = f"{error} ({code})" if code else str(error)
    return StoreError(f"the run's store cannot be used: {named}", at=str(path), hint=hint)


def damaged_store(path: Path, why: str) -> StoreError:
    """The StoreError of a file that SQLite can read, and that is not a store."""
    return StoreError(f"the run's store cannot be used: {why}", at=str(path), hint=_DAMAGED)
