"""YamlBuilder: builds nodes with their places from the events of one YAML document."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import yaml
from yaml.composer import ComposerError

from scoopi.defs.yaml.entries import FlatRow, looks_like_a_value
from scoopi.defs.yaml.node import Node, Text
from scoopi.defs.yaml.open_blocks import NoteFindings, OpenListing, OpenTable
from scoopi.model.place import Place

DEEPEST = 50
MOST_NODES = 2_000_000
TOO_DEEP = f"it is nested deeper than {DEEPEST} levels"

_MERGE = "tag:yaml.org,2002:merge"
_NULL = "tag:yaml.org,2002:null"
_QUOTES = frozenset("'\"")


class RefusedError(Exception):
    """Raised when a file is valid YAML that cannot be used."""

    def __init__(self, place: Place, what: str, hint: str) -> None:
        super().__init__(what)
        self.place = place
        self.what = what
        self.hint = hint


class _Built(NamedTuple):
    """The node of an anchor, with its number of nodes and of levels, aliases expanded."""

    node: Node
    size: int = 1
    depth: int = 1
    merges: bool = False


class YamlBuilder:
    """Builds nodes with their places from the events of one YAML document.

    The library's own nodes would take many times the memory.

    Args:
        file: the file that the places name.
        is_strict: a key that is written twice is an error even if both values are the same.

    Attributes:
        notes: findings such as duplicate keys, to be added once the whole text has proved to be YAML.
    """

    def __init__(self, file: str, *, is_strict: bool = False) -> None:
        self._file = file
        self._is_strict = is_strict
        self.notes: list[NoteFindings] = []
        self._open: list[OpenListing | OpenTable] = []
        self._anchors: dict[str, _Built | OpenListing | OpenTable] = {}
        self._root: Node | None = None

    def build(self, events: Iterable[yaml.Event]) -> Node | None:
        """Return the document's root; None if the document is empty.

        Raises:
            RefusedError: a cyclic alias, or more nodes or levels than allowed.
            yaml.YAMLError: an undefined alias, a second document, or too many levels.
        """
        begun: Any = None
        for event in self._without_rows(iter(events)):
            if isinstance(event, yaml.ScalarEvent):
                self._text(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._end()
            elif isinstance(event, yaml.CollectionStartEvent):
                self._begin(event)
            elif isinstance(event, yaml.AliasEvent):
                self._add(*self._aliased(event))
            elif isinstance(event, yaml.DocumentStartEvent):
                mark: Any = event.start_mark
                if begun is not None:
                    what = "expected a single document in the stream"
                    raise ComposerError(what, begun, "but found another document", mark)
                begun = mark
        return self._root

    def _without_rows(self, events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
        """The events but those of flat tables in a long list, whose rows are added at once.

        A run may have very many locators; a row takes a third of the time that its nodes would.
        """
        for event in events:
            block = self._open[-1] if self._open else None
            is_row = isinstance(event, yaml.MappingStartEvent) and len(self._open) < DEEPEST - 1
            if not (is_row and isinstance(block, OpenListing) and block.is_long):
                yield event
                continue
            read: list[Any] = [event]
            for inner in events:
                read.append(inner)
                if not isinstance(inner, yaml.ScalarEvent):
                    break
            row = _row_of(read)
            if row is None:
                yield from read
            else:
                block.add_row(row)

    def _text(self, event: Any) -> None:
        """Add a scalar; its tag, or its plain style, decides whether it is empty or a merge key."""
        if event.anchor is not None or len(self._open) >= DEEPEST:
            self._ensure_new(event)
        tag, text, mark = event.tag, event.value, event.start_mark
        is_plain = event.implicit[0] and (tag is None or tag == "!")
        is_nothing = not text and (is_plain or tag == _NULL)
        is_quoted = event.style in _QUOTES
        node = Text(text, Place(self._file, mark.line + 1, mark.column + 1), is_nothing, is_quoted)
        merges = tag == _MERGE or (is_plain and text == "<<")
        if event.anchor is not None:
            self._anchors[event.anchor] = _Built(node, merges=merges)
        self._add(node, 1, 1, merges)

    def _begin(self, event: Any) -> None:
        self._ensure_new(event)
        mark, anchor = event.start_mark, event.anchor
        place = Place(self._file, mark.line + 1, mark.column + 1)
        is_table = isinstance(event, yaml.MappingStartEvent)
        block = (
            OpenTable(place, mark, anchor, self.notes, is_strict=self._is_strict)
            if is_table
            else OpenListing(place, mark, anchor)
        )
        self._open.append(block)
        if anchor is not None:
            self._anchors[anchor] = block

    def _ensure_new(self, event: Any) -> None:
        """Raise if the node's anchor is already defined, or if it is nested too deep."""
        first = None if event.anchor is None else self._anchors.get(event.anchor)
        if first is not None:
            mark = None if isinstance(first, _Built) else first.mark
            raise ComposerError(
                "found duplicate anchor; first occurrence", mark, "second occurrence", event.start_mark
            )
        if len(self._open) >= DEEPEST:
            raise yaml.MarkedYAMLError(problem=TOO_DEEP, problem_mark=self._open[-1].mark)

    def _aliased(self, event: Any) -> _Built:
        target = self._anchors.get(event.anchor)
        if target is None:
            raise ComposerError(None, None, "found undefined alias", event.start_mark)
        if not isinstance(target, _Built):
            what = "an anchored block holds itself"
            raise RefusedError(target.node.place, what, "write the inner block out")
        return target

    def _end(self) -> None:
        block = self._open.pop()
        block.end()
        size, depth = 1 + block.size, 1 + block.depth
        if size > MOST_NODES:
            what = f"its aliases stand for more than {MOST_NODES:,} values"
            raise RefusedError(block.node.place, what, "use fewer aliases of aliases")
        if depth > DEEPEST:
            raise RefusedError(block.node.place, TOO_DEEP, "use fewer levels")
        if block.anchor is not None:
            self._anchors[block.anchor] = _Built(block.node, size, depth)
        self._add(block.node, size, depth, False)

    def _add(self, node: Node, size: int, depth: int, merges: bool) -> None:
        if self._open:
            self._open[-1].add(node, size, depth, merges)
        else:
            self._root = node


def _row_of(events: Sequence[Any]) -> FlatRow | None:
    """The row of a table from the events of its scalars, between its begin and its end.

    Returns:
        None if one of them is more than a name or a text, so that it needs a node: an anchor, a merge key, a
        name that is written twice.
    """
    begin, *scalars, end = events
    if begin.anchor is not None or not isinstance(end, yaml.MappingEndEvent):
        return None
    marks = [begin.start_mark.line + 1, begin.start_mark.column + 1]
    for scalar in scalars:
        if scalar.anchor is not None or scalar.tag is not None or not scalar.value:
            return None
        mark = scalar.start_mark
        marks += (mark.line + 1, mark.column + 1)
    names = tuple([sys.intern(scalar.value) for scalar in scalars[::2]])
    texts = tuple([scalar.value for scalar in scalars[1::2]])
    if "<<" in names or len({*names}) < len(names) or not all(map(str.strip, names)):
        return None
    if any(scalar.style in _QUOTES and looks_like_a_value(scalar.value) for scalar in scalars[1::2]):
        return None
    return FlatRow(names, texts, tuple(marks))
