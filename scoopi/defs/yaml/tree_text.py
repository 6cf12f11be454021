"""tree_lines: writes nodes as lines of YAML, each value with the place where it is written."""

from __future__ import annotations

from collections.abc import Iterator

from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.place import Place

_PLAIN_SIGNS = frozenset(" _-./@>#+~$")
_COMMENT_AT = 56


def tree_lines(table: Table, indent: int = 0) -> Iterator[str]:
    """Yield the entries of a table in their order; a comment after each value names its file and line."""
    for name, node in table.entries.items():
        yield from _entry(f"{' ' * indent}{_quoted(name)}:", node, indent)


def _entry(head: str, node: Node, indent: int) -> Iterator[str]:
    if isinstance(node, Text):
        yield _commented(f"{head} {_quoted(node.text)}" if not node.is_empty else head, node.place)
    elif isinstance(node, Table):
        yield head
        yield from tree_lines(node, indent + 2)
    else:
        yield from _listing(head, node, indent)


def _listing(head: str, node: Listing, indent: int) -> Iterator[str]:
    entries = list(node.entries)
    if entries and all(isinstance(entry, Text) for entry in entries):
        texts = ", ".join(_quoted(entry.text) for entry in entries if isinstance(entry, Text))
        yield _commented(f"{head} [ {texts} ]", node.place)
        return
    yield head
    for entry in entries:
        if isinstance(entry, Table):
            lines = list(tree_lines(entry, indent + 4))
            first = lines[0].lstrip() if lines else "{}"
            yield f"{' ' * (indent + 2)}- {first}"
            yield from lines[1:]
        else:
            yield from _entry(f"{' ' * (indent + 2)}-", entry, indent + 2)


def _commented(text: str, place: Place) -> str:
    where = f"{place.file}:{place.line}" if place.line else place.file
    return f"{text:<{_COMMENT_AT}} # {where}" if where else text


def _quoted(text: str) -> str:
    r"""The text as it is written in YAML, in quotes if needed.

    >>> _quoted("li.card"), _quoted("a: b"), _quoted("\\d")
    ('li.card', '"a: b"', '"\\\\d"')
    """
    is_plain = text and text[0].isalnum() and all(sign.isalnum() or sign in _PLAIN_SIGNS for sign in text)
    if is_plain and " #" not in text and text == text.strip():
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'
