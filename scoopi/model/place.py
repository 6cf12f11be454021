"""Place, source_folder: a position in a definition file, and the folder of definitions."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Place(msgspec.Struct, frozen=True, gc=False):
    """A position in a definition file; line and column count from 1, 0 when unknown."""

    file: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


NOWHERE = Place()


def source_folder(source: Path) -> Path:
    """Return the folder of definitions that are given as a folder, or as a single file in it."""
    return source if source.is_dir() else source.parent
