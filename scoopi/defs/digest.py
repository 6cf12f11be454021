"""Digests of definitions: equal exactly when what is defined is equal, wherever it is written."""

from __future__ import annotations

from typing import Any

import msgspec

from scoopi.defs.node import Listing, Node, Table, Text
from scoopi.model.data_def import DataDef

_NOT_DEFINED = frozenset({"place", "block_place", "selector_place", "type_place", "digest"})
_DIGEST_BYTES = 16


def data_def_digest(data_def: DataDef) -> str:
    """Of the effective definition, places left out: 32 hex digits."""
    return _hex(_without_places(msgspec.to_builtins(data_def)))


def tree_digest(root: Table) -> str:
    """Of all that was read, 32 hex digits; the order of names counts below the second level (tasks)."""
    return _hex(
        [
            [name, sorted((inner, _ordered(node)) for inner, node in section.entries.items())]
            for name, section in sorted(root.entries.items(), key=lambda entry: entry[0])
            if isinstance(section, Table)
        ]
    )


def _without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_places(each) for key, each in value.items() if key not in _NOT_DEFINED}
    if isinstance(value, (list, tuple)):
        return [_without_places(each) for each in value]
    return value


def _ordered(node: Node) -> Any:
    if isinstance(node, Text):
        return None if node.is_empty else node.text
    if isinstance(node, Listing):
        return ["list", [_ordered(entry) for entry in node.entries]]
    return ["table", [[name, _ordered(entry)] for name, entry in node.entries.items()]]


def _hex(value: Any) -> str:
    from hashlib import blake2b  # Its library is large; whoever only knows this room needs none of it.

    return blake2b(msgspec.json.encode(value), digest_size=_DIGEST_BYTES).hexdigest()
