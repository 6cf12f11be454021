"""FileAppender and ListAppender: the built-in appenders, which name the output of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from scoopi.errors import PluginError
from scoopi.model.text.output_path import output_path
from scoopi.plugins.plugin_ports import LIST_PREFIX


@dataclass(frozen=True)
class FileAppender:
    """Sends rows to a file in the run's folder; `.gz` and `.zst` files are compressed when published.

    Args:
        file: path relative to the run's folder; a leading `output/` is dropped.
    Raises:
        PluginError: the path names no file, leaves the folder, is reserved, or no file system can have it.
    """

    file: str
    output: str = field(init=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "output", output_path(self.file))
        except ValueError as error:
            raise PluginError(
                f"file {self.file!r} {error}", hint="give a path below the folder of the run, as in data.txt"
            ) from None


@dataclass(frozen=True)
class ListAppender:
    """Keeps rows in memory for a program that embeds Scoopi: `RunReport.lists` has them by plugin name."""

    name: str

    @property
    def output(self) -> str:
        """The name of these rows among the outputs of a page."""
        return f"{LIST_PREFIX}{self.name}"
