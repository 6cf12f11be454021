"""What a page of documentation holds: code blocks, tables, code spans and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "defs/README.md",
    "defs/examples/README.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
)

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_ROW = re.compile(r"^\|(.+)\|$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language and its text."""

    language: str
    text: str

    @property
    def lines(self) -> list[str]:
        """Its lines, blank ones left out."""
        return [line for line in self.text.splitlines() if line.strip()]

    @property
    def file(self) -> str:
        """The file that its first line names as a comment; empty when it names none."""
        named = re.match(r"# (\S+/\S+)\n", self.text)
        return named.group(1) if named else ""


class Page:
    """One page, by its path from the root folder."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = (ROOT / name).parent
        self.text = (ROOT / name).read_text(encoding="utf-8")
        self.prose = _FENCE.sub("", self.text)

    def blocks(self, *languages: str) -> list[Block]:
        """The fenced blocks of these languages, in their order."""
        found = (Block(match.group(1), match.group(2)) for match in _FENCE.finditer(self.text))
        return [block for block in found if block.language in languages]

    def spans(self) -> list[str]:
        """All that stands between backticks outside of blocks, each once."""
        return list(dict.fromkeys(_SPAN.findall(self.prose)))

    def links(self) -> list[str]:
        """Targets of all links."""
        return _LINK.findall(self.prose)

    def anchors(self) -> list[str]:
        """What links to its headings end with, as GitHub makes them."""
        titles = re.findall(r"^#+ (.+)$", self.prose, re.MULTILINE)
        return [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]

    def table(self, *head: str) -> list[list[str]]:
        """The cells of the first table with this head, row by row, without backticks round a whole cell.

        Raises:
            AssertionError: there is no such table.
        """
        rows = iter(self.prose.splitlines())
        for line in rows:
            if _cells(line) == list(head):
                next(rows)
                return list(_rows(rows))
        raise AssertionError(f"{self.name} has no table with the head {head}")

    def tables(self, *head: str) -> list[list[str]]:
        """The cells of all tables with this head, as of `table`."""
        found: list[list[str]] = []
        rows = iter(self.prose.splitlines())
        for line in rows:
            if _cells(line) == list(head):
                next(rows)
                found += _rows(rows)
        return found


def _rows(lines: Iterator[str]) -> Iterator[list[str]]:
    for line in lines:
        cells = _cells(line)
        if not cells:
            return
        yield [re.sub(r"^`([^`]+)`$", r"\1", cell) for cell in cells]


def _cells(line: str) -> list[str]:
    row = _ROW.match(line.strip())
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.group(1))] if row else []
