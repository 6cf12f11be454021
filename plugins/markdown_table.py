"""MarkdownTable: an encoder that writes rows as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from scoopi.model.data import Axis, Data
from scoopi.model.locator import Locator
from scoopi.plugins.plugin_ports import Encoder


class MarkdownTable(Encoder):
    """Writes each row as a line of a Markdown table.

    Args:
        missing: the text of a cell without a value.
    """

    def __init__(self, missing: str = "") -> None:
        self._missing = missing

    def header(self, axes: tuple[Axis, ...]) -> bytes:
        """The names of the columns, and the line below them."""
        return self._line(axis.item_name for axis in axes) + self._line("---" for _ in axes)

    def encode(self, data: Data, locator: Locator, page: int) -> bytes:
        """The rows of a page, a line each."""
        return b"".join(self._line(item.values) for item in data.items)

    def _line(self, cells: Iterable[str | None]) -> bytes:
        return f"| {' | '.join(self._cell(cell) for cell in cells)} |\n".encode()

    def _cell(self, text: str | None) -> str:
        """A vertical bar or a line break would end the cell."""
        return self._missing if text is None else " ".join(text.split()).replace("|", r"\|")
