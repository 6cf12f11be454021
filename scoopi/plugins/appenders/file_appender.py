"""FileAppender: names the file that rows are written to."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field

from scoopi.errors import PluginError


@dataclass(frozen=True)
class FileAppender:
    """A file in the run's folder; `.gz` and `.zst` are compressed when published.

    Args:
        file: relative to the run's folder; a leading `output/` is dropped.
    Raises:
        PluginError: the path is absolute, leaves the folder, is hidden, or names no file.
    Source: language, A9.
    """

    file: str
    output: str = field(init=False)

    def __post_init__(self) -> None:
        path = posixpath.normpath(self.file.strip()) if self.file.strip() else ""
        if path.startswith("/"):
            raise self._refused("is absolute")
        path = path.removeprefix("output/")
        if path.startswith(".."):
            raise self._refused("leaves the folder of the run")
        if path in ("", ".", "output") or self.file.rstrip().endswith("/"):
            raise self._refused("names no file")
        if any(part.startswith(".") for part in path.split("/")) or path == "run.json":
            raise self._refused("is kept for Scoopi itself")
        if not path.isprintable():
            raise self._refused("holds a character that cannot be printed")
        object.__setattr__(self, "output", path)

    def _refused(self, why: str) -> PluginError:
        return PluginError(
            f"file {self.file!r} {why}", mend="give a path below the folder of the run, as in data.txt"
        )
