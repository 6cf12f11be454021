"""Digests of definitions, which depend on what is defined, not on where it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from operator import itemgetter
from typing import Any

import msgspec

from scoopi.defs.yaml.entries import FlatTable
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.data_def import DataDef
from scoopi.model.records.record_def import RecordDef

_NOT_DEFINED = frozenset({"place", "block_place", "selector_place", "type_place", "digest"})
_DIGEST_BYTES = 16
_AT_ONCE = 200
_encoded = msgspec.json.encode


def definition_digest(definition: DataDef | RecordDef) -> str:
    """Return the digest of a normalized definition without its places, as 32 hex digits."""
    return _digest([_encoded(_without_places(definition, msgspec.to_builtins(definition)))])


def tree_digest(root: Table) -> str:
    """Return the digest of the merged definitions, as 32 hex digits.

    The order of names counts only below the second level, such as the order of a group's tasks.
    """
    sections = sorted(root.entries.items(), key=itemgetter(0))
    return _digest(_listed(_section(name, node) for name, node in sections if isinstance(node, Table)))


def _without_places(defined: Any, written: Any) -> Any:
    """The plain value of a definition without its places; keys of mappings, as of `map`, are the user's own.

    Args:
        written: the same value as lists, dicts and texts.
    """
    if isinstance(defined, msgspec.Struct):
        return {
            name: _without_places(getattr(defined, name), each)
            for name, each in written.items()
            if name not in _NOT_DEFINED
        }
    if isinstance(defined, Mapping):
        return {
            name: _without_places(inner, each)
            for inner, (name, each) in zip(defined.values(), written.items(), strict=True)
        }
    if isinstance(defined, (list, tuple)):
        return [_without_places(inner, each) for inner, each in zip(defined, written, strict=True)]
    return written


def _section(name: str, section: Table) -> Iterator[bytes]:
    return _pair(name, _entries(sorted(section.entries.items(), key=itemgetter(0))))


def _ordered(node: Node) -> Iterator[bytes]:
    """The JSON of the node, in pieces, as definitions may be long."""
    if isinstance(node, Text):
        yield _encoded(None if node.is_empty else node.text)
    elif isinstance(node, Listing):
        entries = iter(node.entries)
        many = iter(lambda: [*islice(entries, _AT_ONCE)], [])
        yield from _pair("list", _listed((_joined(each),) for each in many))
    elif isinstance(node, FlatTable):
        yield _encoded(_flat(node))
    else:
        yield from _pair("table", _entries(node.entries.items()))


def _joined(nodes: list[Node]) -> bytes:
    """The JSON of some nodes of a list, with commas in between."""
    flat = [_flat(node) for node in nodes if isinstance(node, FlatTable)]
    if len(flat) == len(nodes):
        return _encoded(flat)[1:-1]
    return b",".join(b"".join(_ordered(node)) for node in nodes)


def _flat(node: FlatTable) -> tuple[str, list[tuple[str, str]]]:
    return "table", [*zip(node.row.names, node.row.texts, strict=True)]


def _entries(entries: Iterable[tuple[str, Node]]) -> Iterator[bytes]:
    return _listed(_pair(name, _ordered(node)) for name, node in entries)


def _pair(name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
    return _listed(([_encoded(name)], pieces))


def _listed(parts: Iterable[Iterable[bytes]]) -> Iterator[bytes]:
    yield b"["
    for number, part in enumerate(parts):
        if number:
            yield b","
        yield from part
    yield b"]"


def _digest(pieces: Iterable[bytes]) -> str:
    from hashlib import blake2b  # late: it loads OpenSSL, which not every importer of this module needs

    digest = blake2b(digest_size=_DIGEST_BYTES)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()
