"""Place: a position in a definition file."""

from __future__ import annotations

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
