"""Shape: the words in which the language of definitions is declared, once, for checks and docs."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """What a scalar is read as; its text is always taken as written."""

    TEXT = "text"
    NAME = "name"
    """A text that is not blank."""
    INTEGER = "integer"
    RANGE = "range"
    """`a-b`, `a-`, `a` or `-`."""
    BOOL = "bool"


class Scalar(msgspec.Struct, frozen=True):
    """One value."""

    kind: Kind


class Free(msgspec.Struct, frozen=True):
    """Anything: the fields of a plugin."""


class ListOf(msgspec.Struct, frozen=True):
    """A list that is not empty.

    Attributes:
        wrapper: the one key that each entry is wrapped in (`item`), or empty.
        tolerant: whether other keys beside the wrapper are only warned of.
        unique: whether equal entries are an error.
    """

    entry: Shape
    wrapper: str = ""
    tolerant: bool = False
    unique: bool = False


class Key(msgspec.Struct, frozen=True):
    """A key of a record: what it means in one sentence, and an example of its use."""

    name: str
    shape: Shape
    sentence: str
    example: str
    required: bool = False


class Record(msgspec.Struct, frozen=True):
    """A mapping with known keys, and perhaps named entries of the user.

    Attributes:
        others: the shape of all other entries; None when there must be none.
        called: what such an entry is, as `task`; there must be at least one unless `may_be_empty`.
    """

    keys: tuple[Key, ...] = ()
    others: Shape | None = None
    called: str = ""
    may_be_empty: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The known keys."""
        return frozenset(key.name for key in self.keys)


class StepsSet(msgspec.Struct, frozen=True):
    """A steps set: steps by name; or, when no child has a class, a base and the steps that differ."""

    step: Record
    nested: Record


class NameOr(msgspec.Struct, frozen=True):
    """A name, or else a mapping."""

    record: Record


Shape = Scalar | Free | ListOf | Record | StepsSet | NameOr
