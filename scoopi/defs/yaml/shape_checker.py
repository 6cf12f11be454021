"""ShapeChecker: checks nodes against the declared language."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable
from itertools import islice

from scoopi.defs.yaml.entries import FlatTable
from scoopi.defs.yaml.findings import MOST_KEPT, Findings
from scoopi.defs.yaml.hints import (
    key_meant,
    number_in_unit,
    option_meant,
    time_meant,
    use_below,
    where_it_belongs,
)
from scoopi.defs.yaml.node import (
    LARGEST,
    Listing,
    Node,
    Table,
    Text,
    is_same,
    is_too_large,
    read_bool,
    read_integer,
    read_range,
)
from scoopi.defs.yaml.shape import (
    Either,
    Free,
    Key,
    Kind,
    ListOf,
    NameOr,
    Record,
    Scalar,
    Shape,
    StepsSet,
    TextOrTexts,
)
from scoopi.model.place import Place
from scoopi.model.text.shown import nearest

_NOT_IN_NAMES = frozenset('.:/* "')
_TEXT = Scalar(Kind.TEXT)
_TEXTS = ListOf(_TEXT)
_NUMBERS = frozenset({Kind.INTEGER, Kind.RANGE})


class ShapeChecker:
    """Checks nodes against the declared language.

    A key that is unknown, missing or of the wrong type is a finding.

    Source: defs/README.md, 1.3 to 1.7.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def check(self, node: Node, shape: Shape, key: str, owner: Place, example: str = "") -> None:
        """Check a node, and all nodes below it, against a shape.

        Args:
            key: the path of names to the node.
            owner: where the node's name is written; the place of findings about missing keys.
            example: a valid use, for the hint.
        """
        hint = f"write `{example}`" if example else ""
        if isinstance(shape, TextOrTexts):
            shape = _TEXTS if isinstance(node, Listing) else _TEXT
        if isinstance(shape, Free):
            self._free(node, key)
        elif isinstance(node, Text) and node.is_empty:
            self._findings.error(owner, key, f"{_last(key)} has no value", hint)
        elif isinstance(shape, Scalar):
            self._scalar(node, shape, key, hint)
        elif isinstance(shape, ListOf):
            self._list(node, shape, key, example)
        elif isinstance(shape, NameOr):
            if not isinstance(node, Text):
                self._table(node, shape.record, key, owner, hint)
            elif shape.options:
                self._option(node, shape.options, key)
        elif isinstance(shape, Either):
            is_other = isinstance(node, Table) and not shape.marks.isdisjoint(node.entries)
            self._table(node, shape.other if is_other else shape.usual, key, owner, hint)
        else:
            self._table(node, shape, key, owner, hint)

    def check_record(self, table: Table, shape: Record, key: str, owner: Place, whole: bool = True) -> None:
        """Check the entries of a table against a record; keys may be missing unless the table is `whole`."""
        prefix = f"{key}." if key else ""
        others = [name for name in table.entries if name not in shape.names]
        misspelt = (
            {nearest(name, shape.names) for name in others[:MOST_KEPT]} if shape.others is None else set()
        )
        for known in shape.keys:
            node = table.entries.get(known.name)
            if node is not None:
                place = table.keys[known.name]
                self.check(node, known.shape, prefix + known.name, place, known.example)
            elif known.required and whole and known.name not in misspelt:
                hint = f"add `{known.example}`"
                self._findings.error(owner, key, f"{known.name} is missing", hint)
        for name in others:
            node = table.entries[name]
            if shape.others is None:
                self._unknown(table, name, shape, key)
            elif not _is_entry(node, shape.others) and (above := shape.owner_of(name)) is not None:
                self._misplaced(table, key, name, above)
            elif not _is_entry(node, shape.others) and (inner := _key_of(shape.others, name)) is not None:
                what = f"{name} is a key of a {shape.called}"
                hint = f"write it there: `{shape.called.upper()}: {{ {inner.example} }}`"
                self._findings.error(table.keys[name], key, what, hint)
            else:
                example = f"{name}: {shape.entry}" if shape.entry else ""
                self.check(node, shape.others, prefix + quoted_name(name), table.keys[name], example)
        if shape.others is not None and not others and not shape.may_be_empty:
            what = f"{_last(key)} has no {shape.called}"
            self._findings.error(owner, key, what, f"add at least one {shape.called}")

    def _table(self, node: Node, shape: Record | StepsSet, key: str, owner: Place, hint: str) -> None:
        if not isinstance(node, Table):
            kind = "a list" if isinstance(node, Listing) else _kind_of(node)
            needed = (
                f"a mapping (or {shape.short})" if isinstance(shape, Record) and shape.short else "a mapping"
            )
            what = f"{_last(key)} must be {needed}, not {kind}"
            if isinstance(node, Text) and isinstance(shape, Record):
                time_ms = time_meant(node.text, shape.keys)
                hint = hint if time_ms is None else f"write `{_last(key)}: {{ time: {time_ms} }}`"
            self._findings.error(node.place, key, what, hint or "write `name: …` lines below it")
        elif isinstance(shape, Record):
            self.check_record(node, shape, key, owner)
        else:
            self.check_record(node, shape.nested if is_nested(node) else shape.step, key, owner)

    def _scalar(self, node: Node, shape: Scalar, key: str, hint: str) -> None:
        if not isinstance(node, Text):
            kind = "a list" if isinstance(node, Listing) else "a mapping"
            self._findings.error(node.place, key, f"{_last(key)} must be a single value, not {kind}", hint)
            return
        if shape.options:
            self._option(node, shape.options, key)
            return
        what = ""
        if shape.kind is Kind.NAME and not node.text.strip():
            what = "is blank"
        elif shape.kind is Kind.INTEGER and read_integer(node.text) is None:
            unit = f" of {shape.unit}" if shape.unit else ""
            what = f'must be a whole number{unit}, not "{node.text}"'
            number = number_in_unit(node.text, shape.unit)
            hint = hint if number is None else f"write `{_last(key)}: {number}`"
        elif shape.kind is Kind.RANGE and read_range(node.text) is None:
            what = f'is "{node.text}", which is not a range'
            hint = "write FROM-TO, FROM- or one number, as in 2-6"
        elif shape.kind is Kind.BOOL and read_bool(node.text) is None:
            what = f'must be true or false, not "{node.text}"'
        if what and shape.kind in _NUMBERS and is_too_large(node.text, is_range=shape.kind is Kind.RANGE):
            what, hint = f'is "{node.text[:40]}", which is too large', f"{LARGEST} is the largest"
        if what:
            self._findings.error(node.place, key, f"{_last(key)} {what}", hint)

    def _option(self, node: Text, options: tuple[str, ...], key: str) -> None:
        if node.text not in options:
            what, hint = f'{_last(key)} is "{node.text}"', f"known are {', '.join(options)}"
            self._findings.error(node.place, key, what, hint, near=option_meant(node.text, options))

    def _list(self, node: Node, shape: ListOf, key: str, example: str) -> None:
        if not isinstance(node, Listing):
            kind = "a text" if isinstance(node, Text) else "a mapping"
            hint = f"write `{example}`" if example else ""
            needed = "a text or a list of texts" if shape.or_one and _is_of_texts(shape) else "a list"
            self._findings.error(node.place, key, f"{_last(key)} must be {needed}, not {kind}", hint)
            return
        if not node.entries:
            self._findings.error(node.place, key, f"{_last(key)} is empty", "add an entry, or remove it")
        hashes = array("q")
        for number, entry in enumerate(node.entries):
            if shape.unique:
                hashes.append(hash(_gist(entry)))
            if isinstance(entry, FlatTable) and shape.is_met_by(entry.row.names, entry.row.texts):
                continue  # the fast path for thousands of locators
            path = f"{key}[{number}]"
            if shape.wrapper:
                self._wrapped(entry, shape, path)
            else:
                self.check(entry, shape.entry, path, entry.place, example)
        if shape.unique:
            self._unique(node, hashes, key)

    def _wrapped(self, entry: Node, shape: ListOf, key: str) -> None:
        inner = entry.entries.get(shape.wrapper) if isinstance(entry, Table) else None
        if not isinstance(entry, Table) or inner is None:
            what = f"an entry of this list is `{shape.wrapper}: {{ … }}`"
            self._findings.error(entry.place, key, what, f"put `{shape.wrapper}:` before it")
            return
        self.check(inner, shape.entry, key, entry.keys[shape.wrapper])
        for name in entry.entries:
            if name == shape.wrapper:
                continue
            what = f"unknown key {name} beside {shape.wrapper}"
            if shape.tolerant:
                self._findings.warning(entry.keys[name], key, f"{what}; it is ignored", "remove it")
            else:
                hint = f"indent it below {shape.wrapper}, or remove it"
                self._findings.error(entry.keys[name], key, what, hint)

    def _unique(self, node: Listing, hashes: array[int], key: str) -> None:
        times = Counter(hashes) if len({*hashes}) < len(hashes) else {}
        seen: dict[int, list[Node]] = {}
        for number, entry in enumerate(node.entries if times else ()):
            if times[hashes[number]] == 1:
                continue
            alike = seen.setdefault(hashes[number], [])
            twin = next((other for other in alike if is_same(other, entry)), None)
            if twin is None:
                alike.append(entry)
            else:
                what = f"this entry of {_last(key)} occurs twice"
                path = f"{key}[{number}]"
                self._findings.error(entry.place, path, what, "remove one of them", also=twin.place)

    def _unknown(self, table: Table, name: str, shape: Record, key: str) -> None:
        if (owner := shape.owner_of(name)) is not None:
            self._misplaced(table, key, name, owner)
            return
        if where := where_it_belongs(name, shape.names):
            self._findings.error(table.keys[name], key, f"unknown key {name}", where)
            return
        near = "" if self._findings.is_full else key_meant(name, shape.names)
        hint = f"known are {', '.join(each.name for each in shape.keys)}"
        if shape.values_for and not near:
            hint = f"{hint}; a value needs a placeholder: write %{{{name}}} in {shape.values_for}"
        self._findings.error(table.keys[name], key, f"unknown key {name}", hint, near=near)

    def _misplaced(self, table: Table, key: str, name: str, owner: Key) -> None:
        """Report a key that belongs one level deeper, below `owner`."""
        hint = f"write it there: `{use_below(owner, name, table)}`"
        self._findings.error(table.keys[name], key, f"{name} is a key of `{owner.name}`", hint)

    def _free(self, node: Node, key: str) -> None:
        if isinstance(node, Text) and node.is_empty:
            what = f"{_last(key)} has no value and is ignored"
            self._findings.warning(node.place, key, what, 'write "" for an empty text, or remove it')


def _is_entry(node: Node, shape: Shape) -> bool:
    """Whether a node looks like an entry with a name that the user chose, such as a task."""
    is_known = isinstance(node, Table) and isinstance(shape, Record) and shape.names & node.entries.keys()
    return bool(is_known) or not isinstance(shape, Record)


def _kind_of(node: Text) -> str:
    """What a text is called in messages: a boolean by its name."""
    return node.text if not node.is_quoted and read_bool(node.text) is not None else "a text"


def _key_of(shape: Shape, name: str) -> Key | None:
    """The key of a mapping with that name; None if it has none."""
    keys = shape.keys if isinstance(shape, Record) else ()
    return next((key for key in keys if key.name == name), None)


def _is_of_texts(shape: ListOf) -> bool:
    return isinstance(shape.entry, Scalar)


def is_nested(steps: Table) -> bool:
    """Whether a set of steps has no entry with a `class`, and so a base. Source: defs/README.md, 1.6."""
    return not any(isinstance(step, Table) and "class" in step.entries for step in steps.entries.values())


def _gist(node: Node) -> Hashable:
    """A value that equal nodes have in common, and others usually not, so that few pairs are compared."""
    if isinstance(node, Text):
        return node.text
    if isinstance(node, Listing):
        return tuple(map(_gist, islice(node.entries, 1)))
    if isinstance(node, FlatTable):
        return frozenset(zip(node.row.names, node.row.texts, strict=True))
    return frozenset((name, _gist(entry)) for name, entry in node.entries.items())


def quoted_name(name: str) -> str:
    """Return a name as a part of a key path; in quotes if it has `.`, `:`, `/`, `*`, a quote or a blank."""
    return f'"{name}"' if _NOT_IN_NAMES & set(name) else name


def _last(key: str) -> str:
    return key[:-1].rpartition('"')[2] if key.endswith('"') else key.rpartition(".")[2]
