"""YamlBuilder: the events of one YAML document become nodes with their places."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, cast

import yaml
from yaml.composer import ComposerError

from scoopi.defs.findings import Findings
from scoopi.defs.node import Listing, Node, Table, Text, is_same
from scoopi.model.place import Place

DEEPEST = 50
MOST_NODES = 2_000_000
TOO_DEEP = f"it is nested deeper than {DEEPEST} levels"

_MERGE = "tag:yaml.org,2002:merge"
_NULL = "tag:yaml.org,2002:null"


class RefusedError(Exception):
    """The file cannot be used."""

    def __init__(self, place: Place, what: str, mend: str) -> None:
        super().__init__(what)
        self.place = place
        self.what = what
        self.mend = mend


class _Built(NamedTuple):
    """A node, how many nodes it stands for with its aliases, and how deep it is."""

    node: Node
    size: int = 1
    depth: int = 1
    merges: bool = False


class _Open:
    """A block whose end has not come; what is built inside waits for it, keys before their values."""

    __slots__ = ("anchor", "built", "mark", "node")

    def __init__(self, node: Listing | Table, mark: Any, anchor: str | None) -> None:
        self.node = node
        self.mark = mark
        self.anchor = anchor
        self.built: list[_Built] = []


class YamlBuilder:
    """Builds from events: nodes of the library would take many times the memory of the definitions.

    Args:
        file: named by the places.

    Attributes:
        notes: what is to be told of duplicate keys and the like, when the whole text is YAML.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self.notes: list[Callable[[Findings], None]] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, _Built | _Open] = {}
        self._root: _Built | None = None

    def build(self, events: Iterable[yaml.Event]) -> Node | None:
        """The document's root; None when there is nothing.

        Raises:
            RefusedError: a circle, or more nodes or levels than may be.
            yaml.YAMLError: an alias of nothing, a second document, too many levels.
        """
        begun: Any = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                mark: Any = event.start_mark
                if begun is not None:
                    what = "expected a single document in the stream"
                    raise ComposerError(what, begun, "but found another document", mark)
                begun = mark
            elif isinstance(event, yaml.NodeEvent):
                self._begin(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._end()
        return None if self._root is None else self._root.node

    def _begin(self, event: Any) -> None:
        anchor = event.anchor
        if isinstance(event, yaml.AliasEvent):
            self._add(self._aliased(event))
            return
        if anchor is not None and anchor in self._anchors:
            first = self._anchors[anchor]
            mark = first.mark if isinstance(first, _Open) else None
            raise ComposerError(
                "found duplicate anchor; first occurrence", mark, "second occurrence", event.start_mark
            )
        if len(self._open) >= DEEPEST:
            raise yaml.MarkedYAMLError(problem=TOO_DEEP, problem_mark=self._open[-1].mark)
        place = self._place(event.start_mark)
        if isinstance(event, yaml.ScalarEvent):
            built = _scalar(event, place)
            if anchor is not None:
                self._anchors[anchor] = built
            self._add(built)
            return
        is_table = isinstance(event, yaml.MappingStartEvent)
        block = _Open(Table({}, {}, place) if is_table else Listing([], place), event.start_mark, anchor)
        self._open.append(block)
        if anchor is not None:
            self._anchors[anchor] = block

    def _aliased(self, event: Any) -> _Built:
        target = self._anchors.get(event.anchor)
        if target is None:
            raise ComposerError(None, None, "found undefined alias", event.start_mark)
        if isinstance(target, _Open):
            what = "an anchored block holds itself"
            raise RefusedError(target.node.place, what, "write the inner block out")
        return target

    def _end(self) -> None:
        block = self._open.pop()
        is_listing = isinstance(block.node, Listing)
        values = block.built if is_listing else block.built[1::2]
        size = 1 + sum(built.size for built in values)
        depth = 1 + max((built.depth for built in values), default=0)
        if isinstance(block.node, Listing):
            block.node.entries = [built.node for built in values]
        else:
            self._fill(block.node, block.built[::2], values)
        if size > MOST_NODES:
            what = f"its aliases stand for more than {MOST_NODES:,} values"
            raise RefusedError(block.node.place, what, "use fewer aliases of aliases")
        if depth > DEEPEST:
            raise RefusedError(block.node.place, TOO_DEEP, "use fewer levels")
        built = _Built(block.node, size, depth)
        if block.anchor is not None:
            self._anchors[block.anchor] = built
        self._add(built)

    def _add(self, built: _Built) -> None:
        if self._open:
            self._open[-1].built.append(built)
        else:
            self._root = built

    def _fill(self, table: Table, keys: list[_Built], values: list[_Built]) -> None:
        merged: list[Table] = []
        for key, value in zip(keys, values, strict=True):
            if key.merges:
                merged += self._merged(value.node)
            else:
                self._put(table, key.node, value.node)
        for other in merged:
            for name, entry in other.entries.items():
                if name not in table.entries:
                    table.entries[name] = entry
                    table.keys[name] = other.keys[name]

    def _put(self, table: Table, key: Node, entry: Node) -> None:
        place = key.place
        if not isinstance(key, Text) or not key.text.strip():
            what = "a name is needed before the colon"
            self._note(lambda found: found.error(place, "", what, "write `name: value`"))
            return
        name = sys.intern(key.text)
        former = table.keys.get(name)
        if former is None:
            table.entries[name] = entry
            table.keys[name] = place
        elif is_same(table.entries[name], entry):
            same = f"{name} is written twice, with the same value"
            self._note(lambda found: found.warning(place, "", same, "keep one of them", also=former))
        else:
            other = f"{name} is written twice, with different values"
            self._note(lambda found: found.error(place, "", other, "keep one of them", also=former))

    def _merged(self, entry: Node) -> list[Table]:
        entries = entry.entries if isinstance(entry, Listing) else [entry]
        tables = [each for each in entries if isinstance(each, Table)]
        if len(tables) != len(entries):
            what, mend = "a merge key takes mappings only", "name an anchor of one: `<<: *anchor`"
            self._note(lambda found: found.error(entry.place, "<<", what, mend))
        return tables

    def _note(self, note: Callable[[Findings], None]) -> None:
        self.notes.append(note)

    def _place(self, mark: Any) -> Place:
        return Place(self._file, mark.line + 1, mark.column + 1)


def _scalar(event: Any, place: Place) -> _Built:
    """A text; it is nothing, or a merge key, by its tag or when it is written plainly."""
    tag, text = event.tag, cast(str, event.value)
    is_plain = tag in (None, "!") and event.implicit[0]
    is_nothing = not text and (is_plain or tag == _NULL)
    merges = tag == _MERGE or (is_plain and text == "<<")
    return _Built(Text(text, place, is_nothing), merges=merges)
