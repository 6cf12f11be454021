"""Key and Block: the declaration of the scheduler's language, for reading, messages and tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scoopi.defs.schedule.kinds import ValueKind

ANY = ".*"


@dataclass(frozen=True, slots=True)
class BlockKey:
    """A key: its values, and an example of a valid and of an invalid one, as YAML.

    Attributes:
        needs: text that other keys of the example's process need, as YAML lines.
        idle: a regular expression of values that are checked and stored, and that nothing acts on yet;
            `ANY` for the whole key.
    """

    name: str
    kind: ValueKind | Block
    sentence: str
    valid: str
    invalid: str
    needs: str = ""
    required: bool = False
    idle: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A mapping with known keys, or a list of such mappings.

    Attributes:
        make: what makes the value of the keys' values; `dict` where they depend on each other.
        is_list: a list of blocks.
        short: reads the short form of a block, a text; None if there is none.
    """

    keys: tuple[BlockKey, ...]
    make: Callable[..., Any]
    is_list: bool = False
    short: Callable[[str], dict[str, Any]] | None = None


LATER = (
    *("trees", "resources", "groups", "flow", "flows", "operation", "operations", "decision", "decisions"),
    *("properties", "imports", "extensions", "object_repository", "values"),
)
"""Top-level keys of the scheduler that this version does not support yet."""
SECTIONS = ("namespace", "processes", "settings")
"""Top-level keys of the scheduler."""
