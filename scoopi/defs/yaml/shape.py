"""Shape: the words in which the language of definitions is declared, once, for checks and docs."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import force_setattr


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
    """One value; with `options` one of these."""

    kind: Kind
    options: tuple[str, ...] = ()


class Free(msgspec.Struct, frozen=True):
    """Anything: the fields of a plugin."""


class TextOrTexts(msgspec.Struct, frozen=True):
    """One text, or a list of texts."""


class ListOf(msgspec.Struct, frozen=True):
    """A list that is not empty.

    Attributes:
        wrapper: the one key that each entry is wrapped in (`item`), or empty.
        tolerant: whether other keys beside the wrapper are only warned of.
        unique: whether equal entries are an error.
        or_one: whether one entry may be written without a list; it has been put into one when it is checked.
    """

    entry: Shape
    wrapper: str = ""
    tolerant: bool = False
    unique: bool = False
    or_one: bool = False

    def is_met_by(self, names: tuple[str, ...], texts: tuple[str, ...]) -> bool:
        """Whether an entry of texts is right; False only means that it needs a closer check."""
        entry = self.entry
        if self.wrapper or not isinstance(entry, Record) or not entry.needs_names_only:
            return False
        return frozenset(names) == entry.required_names and all(map(str.strip, texts))


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
        short: what may be written instead, as in `a selector`; it has been expanded when it is checked.
        values_for: further keys are values of placeholders in this key; they have been moved, too.
        names: the known keys.
        required_names: those of them that it must have.
        needs_names_only: each key that it must have is a name.
    """

    keys: tuple[Key, ...] = ()
    others: Shape | None = None
    called: str = ""
    may_be_empty: bool = False
    short: str = ""
    values_for: str = ""
    names: frozenset[str] = frozenset()
    required_names: frozenset[str] = frozenset()
    needs_names_only: bool = False

    def __post_init__(self) -> None:
        force_setattr(self, "names", frozenset(key.name for key in self.keys))
        required = [key for key in self.keys if key.required]
        force_setattr(self, "required_names", frozenset(key.name for key in required))
        is_plain = bool(required) and all(key.shape == Scalar(Kind.NAME) for key in required)
        force_setattr(self, "needs_names_only", self.others is None and is_plain)


class StepsSet(msgspec.Struct, frozen=True):
    """A steps set: steps by name; or, when no child has a class, a base and the steps that differ."""

    step: Record
    nested: Record


class NameOr(msgspec.Struct, frozen=True):
    """A name, or else a mapping.

    Attributes:
        options: the names that are allowed; empty for any.
    """

    record: Record
    options: tuple[str, ...] = ()


class Either(msgspec.Struct, frozen=True):
    """A mapping of one of two kinds.

    Attributes:
        usual: unless it has one of the keys in `marks`.
        other: if it has one of them.
    """

    usual: Record
    other: Record
    marks: frozenset[str]


Shape = Scalar | Free | TextOrTexts | ListOf | Record | StepsSet | NameOr | Either
