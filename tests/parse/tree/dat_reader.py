"""TreeCase: a page and its tree, read from files in the form that tests of HTML parsers share.

A file holds cases of `#data`, `#errors` (left empty here) and `#document`; see any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
_FOREIGN = re.compile(r"^<(?:svg|math) (.*)>$", re.DOTALL)
_ATTRIBUTE = re.compile(r'^([^<"].*?)="(.*)"$', re.DOTALL)

Line = tuple[int, str]
"""How deep a node stands, and the node."""


@dataclass(frozen=True, slots=True)
class TreeCase:
    """A page, and the tree that a browser makes of it, as it stands in the file."""

    name: str
    page: str
    lines: tuple[Line, ...]

    def expected(self) -> list[Line]:
        """The tree as lxml shows it.

        No namespaces, lower case, no doctype; templates hold their content, instructions are comments.
        """
        kept: list[Line] = []
        contents: list[int] = []
        for depth, node in self.lines:
            while contents and depth <= contents[-1]:
                contents.pop()
            if node == "content":
                contents.append(depth)
            elif not node.startswith("<!DOCTYPE"):
                kept.append((depth - len(contents), _plain(node)))
        return _with_sorted_attributes(kept)


def read_cases() -> Iterator[TreeCase]:
    """All cases of all files."""
    for path in sorted(FOLDER.glob("*.dat")):
        text = path.read_bytes().decode()
        for number, case in enumerate(text.removeprefix("#data\n").split("\n\n#data\n"), 1):
            page, _, document = case.partition("\n#errors\n#document\n")
            yield TreeCase(f"{path.stem}-{number}", page, tuple(_lines(document)))


def _lines(document: str) -> Iterator[Line]:
    for node in document.strip("\n").split("\n| ") if document else ():
        text = node.removeprefix("| ")
        depth = len(text) - len(text.lstrip(" "))
        yield depth // 2, text[depth:]


def _plain(node: str) -> str:
    if found := _FOREIGN.match(node):
        return f"<{found[1].lower()}>"
    if found := _ATTRIBUTE.match(node):
        name = re.sub("^(xlink|xml|xmlns) ", r"\1:", found[1])
        return f'{name.lower()}="{found[2]}"'
    if node.startswith("<?"):
        return f"<!-- {node[1:-1]} -->"
    return node


def _with_sorted_attributes(lines: list[Line]) -> list[Line]:
    kept: list[Line] = []
    attributes: list[Line] = []
    for line in lines:
        if _ATTRIBUTE.match(line[1]):
            attributes.append(line)
            continue
        kept += sorted(attributes)
        attributes = []
        kept.append(line)
    return kept + sorted(attributes)
