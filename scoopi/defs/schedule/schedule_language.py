"""BlockKey and Block: the declaration of the scheduler's language, for reading, messages and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scoopi.defs.schedule.kinds import ValueKind

ANY = ".*"


@dataclass(frozen=True, slots=True)
class BlockKey:
    """A key of a block: the kind of its values, with a valid and an invalid example as YAML.

    Attributes:
        needs: lines of YAML with other keys that the examples need to be valid.
        idle: a regular expression of the values that have no effect yet; `ANY` if no value has.
        instead: what to do instead of using such a value.
    """

    name: str
    kind: ValueKind | Block
    sentence: str
    valid: str
    invalid: str
    needs: str = ""
    required: bool = False
    idle: str = ""
    instead: str = "do not rely on it"


@dataclass(frozen=True, slots=True)
class Block:
    """A mapping with known keys, or a list of such mappings.

    Attributes:
        make: makes the block's value from the values of its keys; `dict` if these depend on each other.
        is_list: whether the value of the key is a list of such blocks.
        later: keys that this version does not support yet: they belong to trees, flows or resources.
        short: reads the short form of the block, a text; None if it has none.
    """

    keys: tuple[BlockKey, ...]
    make: Callable[..., Any]
    is_list: bool = False
    short: Callable[[str], dict[str, Any]] | None = None
    later: tuple[str, ...] = ()


LATER = (
    *("trees", "resources", "groups", "flow", "flows", "operation", "operations", "decision", "decisions"),
    *("properties", "imports", "extensions", "object_repository", "values"),
)
"""Top-level keys of the scheduler that this version does not support yet."""
SECTIONS = ("namespace", "processes", "settings")
"""Top-level keys of the scheduler."""
