"""BlockReader: reads a block as the scheduler's language declares it."""

from __future__ import annotations

import re
from typing import Any

from scoopi.defs.schedule.invalid_value import InvalidValueError
from scoopi.defs.schedule.schedule_language import ANY, Block, BlockKey, is_default
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text
from scoopi.model.place import Place
from scoopi.model.text.shown import nearest


class BlockReader:
    """Reads a block as the scheduler's language declares it.

    A key with an invalid value is reported as a finding and left out.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def read(self, table: Table, block: Block, path: str, owner: Place) -> dict[str, Any]:
        """Read the values of a block by key, without those that are absent or invalid.

        Args:
            path: the path of names to the block.
            owner: where the block's name is written; the place of findings about missing keys.
        """
        known = {key.name: key for key in block.keys}
        values: dict[str, Any] = {}
        for name, node in table.entries.items():
            key = known.get(name)
            where = f"{path}.{name}"
            if name in block.later:
                if is_default(node, default := block.later[name]):
                    continue
                what = f"{name} is not supported by this version"
                shown = default[0] if isinstance(default, tuple) else default
                instead = f", or write its default, {shown}" if isinstance(shown, str) else ""
                self._findings.error(table.keys[name], where, what, f"leave it out{instead}")
            elif key is None:
                self._findings.unknown(table.keys[name], path, f"unknown key {name}", name, known)
            elif (value := self._value(node, key, where, table.keys[name])) is not None:
                values[name] = value[0]
                self._warn_if_idle(node, key, where, table.keys[name])
        misspelt = {nearest(name, known) for name in table.entries if name not in known}
        for key in block.keys:
            if key.required and key.name not in table.entries and key.name not in misspelt:
                self._findings.error(owner, path, f"{key.name} is missing", f"add `{key.name}: {key.valid}`")
        return values

    def no_effect(self, table: Table, path: str, key: str, where: str, hint: str = "remove it") -> None:
        """Warn of a key of a block that has no effect.

        Args:
            path: the path of names to the block.
            where: completes the sentence "KEY has no effect …".
        """
        self._findings.warning(table.keys[key], f"{path}.{key}", f"{key} has no effect {where}", hint)

    def wrong(self, table: Table, path: str, key: str, what: str, hint: str) -> None:
        """Add an error for a key of a block that contradicts other keys, or is missing beside them."""
        self._findings.error(table.keys.get(key, table.place), f"{path}.{key}", what, hint)

    def _warn_if_idle(self, node: Node, key: BlockKey, path: str, owner: Place) -> None:
        text = node.text if isinstance(node, Text) else ""
        if key.idle and re.fullmatch(key.idle, text, re.DOTALL):
            shown = key.name if key.idle == ANY else f"{key.name}: {text}"
            self._findings.warning(owner, path, f"{shown} {key.effect}", key.instead)

    def _value(self, node: Node, key: BlockKey, path: str, owner: Place) -> tuple[Any] | None:
        """The value in a tuple, as it may be None; None after a finding."""
        kind = key.kind
        if isinstance(kind, Block):
            return self._blocks(node, key, kind, path, owner)
        try:
            return (kind.read(node),)
        except InvalidValueError as invalid:
            place = owner if isinstance(node, Text) and node.is_empty else node.place
            for error in (invalid, *invalid.further):
                what = f"{key.name}{error.inner} {error}"
                hint = error.hint or f"allowed: {kind.allowed}"
                self._findings.error(error.place or place, path, what, hint, near=error.near)
            return None

    def _blocks(self, node: Node, key: BlockKey, block: Block, path: str, owner: Place) -> tuple[Any] | None:
        if not block.is_list:
            return self._block(node, key, block, path, owner)
        if isinstance(node, Listing) and not node.entries:
            return None  # as if the key were not written
        if not isinstance(node, Listing):
            self._findings.error(
                node.place, path, f"{key.name} is not a list", f"write `{key.name}: {key.valid}`"
            )
            return None
        made = [
            self._block(entry, key, block, f"{path}[{number}]", entry.place)
            for number, entry in enumerate(node.entries)
        ]
        return (tuple(one[0] for one in made if one),)

    def _block(self, node: Node, key: BlockKey, block: Block, path: str, owner: Place) -> tuple[Any] | None:
        if isinstance(node, Text) and block.short is not None and not node.is_empty:
            try:
                return (block.make(**block.short(node.text)),)
            except InvalidValueError as error:
                self._findings.error(node.place, path, f"{key.name} {error}", error.hint, near=error.near)
                return None
        if not isinstance(node, Table):
            is_empty = isinstance(node, Text) and node.is_empty
            what = f"{key.name} has no value" if is_empty else f"{key.name} is not a mapping"
            self._findings.error(
                owner if is_empty else node.place, path, what, f"write `{key.name}: {key.valid}`"
            )
            return None
        values = self.read(node, block, path, owner)
        lacks = any(each.required and each.name not in values for each in block.keys)
        lacks |= (
            block.is_list and not node.entries.keys() <= values.keys()
        )  # an edge without its slot is another
        return None if lacks else (block.make(**values),)


def is_whole(table: Table | None, values: dict[str, Any] | None) -> bool:
    """Whether all keys of a block are known and valid; if not, a missing key may only be misspelt.

    Args:
        values: the values of the valid keys.
    """
    return table is None or values is None or table.entries.keys() <= values.keys()
