"""RecordFault: what is wrong in a definition of records, and which of its keys has the wrong value."""

from __future__ import annotations

from typing import NamedTuple

KeyPath = tuple[str | int, ...]
"""The keys that lead from a definition to a value, and numbers of entries, from 0."""


class RecordFault(NamedTuple):
    """What is wrong in a definition of records, and a hint.

    Attributes:
        path: the keys that lead to the wrong value, as in `("fields", "price", "replace", 0, 1)`.
    """

    path: KeyPath
    what: str
    hint: str
