"""BlockKey and Block: the declaration of the scheduler's language, for reading, messages and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scoopi.defs.schedule.kinds import ValueKind, duration
from scoopi.defs.yaml.node import Listing, Node, Text

ANY = ".*"
NO_TIME = r"0+(ms|s|m|h|d)"
"""Patterns for `BlockKey.idle`: all values, and durations of no length."""


@dataclass(frozen=True, slots=True)
class BlockKey:
    """A key of a block: the kind of its values, with a valid and an invalid example as YAML.

    Attributes:
        needs: lines of YAML with other keys that the examples need to be valid.
        sentence: the meaning of the key, in one sentence.
        idle: a regular expression of the values that cause a warning; `ANY` if all do, empty if none does.
        effect: the warning; completes the sentence "KEY: VALUE …".
        instead: the hint of the warning.
    """

    name: str
    kind: ValueKind | Block
    sentence: str
    valid: str
    invalid: str
    needs: str = ""
    required: bool = False
    idle: str = ""
    effect: str = "has no effect in this version"
    instead: str = "do not rely on it"


@dataclass(frozen=True, slots=True)
class Block:
    """A mapping with known keys, or a list of such mappings.

    Attributes:
        make: makes the block's value from the values of its keys; `dict` if these depend on each other.
        is_list: whether the value of the key is a list of such blocks.
        later: keys that this version does not support yet, as they belong to trees, flows or resources ->
            their default, which may be written (see `is_default`).
        short: reads the short form of the block, a text; None if it has none.
    """

    keys: tuple[BlockKey, ...]
    make: Callable[..., Any]
    is_list: bool = False
    short: Callable[[str], dict[str, Any]] | None = None
    later: Mapping[str, Any] = field(default_factory=dict)


def limit_key(name: str, sentence: str, valid: str, invalid: str, word: str = "never") -> BlockKey:
    """Return the key of a time limit, whose value 0 causes a warning, as it does not mean "no limit".

    Args:
        valid, invalid: an example of a valid and of an invalid value.
        word: the value for no limit.
    """
    return BlockKey(
        name,
        duration(may_never=True, word=word),
        sentence,
        valid,
        invalid,
        idle=NO_TIME,
        effect="is over as soon as it begins",
        instead=f"write {word} for no limit",
    )


def is_default(node: Node, default: Any) -> bool:
    """Whether a value is the default of a key; of a mapping some keys may be left out.

    Args:
        default: a text, or several that mean the same, alone or in a list; a mapping of such values, or an
            empty list; None if no value is the default.
    """
    if isinstance(node, Text):
        texts = default if isinstance(default, tuple) else (default,)
        return not node.is_empty and node.text in texts
    if isinstance(node, Listing) and isinstance(default, tuple) and node.entries:
        return all(is_default(entry, default) for entry in node.entries)
    if isinstance(node, Listing):
        return not node.entries and default == []
    return isinstance(default, dict) and all(
        name in default and is_default(entry, default[name]) for name, entry in node.entries.items()
    )


LATER: dict[str, Any] = {
    **{key: {} for key in ("trees", "resources", "groups", "imports")},
    **{key: [] for key in ("flows", "operations", "decisions", "properties")},
    **dict.fromkeys(("flow", "operation", "decision")),
    "values": "json",
}
"""Top-level keys of the scheduler that this version does not support yet -> their default."""
IGNORED = ("extensions", "object_repository")
"""Top-level keys of files that other tools read, too; any value of them is ignored."""
SECTIONS = ("namespace", "processes", "settings")
"""Top-level keys of the scheduler."""
