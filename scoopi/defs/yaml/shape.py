"""Shape: the types in which the language of definitions is declared, for checks and docs alike."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import force_setattr


class Kind(StrEnum):
    """The type of a scalar; the check reads its text as this type, and keeps it as written."""

    TEXT = "text"
    NAME = "name"
    """A text that is not blank."""
    INTEGER = "integer"
    RANGE = "range"
    """`a-b`, `a-`, `a` or `-`."""
    BOOL = "bool"


class Scalar(msgspec.Struct, frozen=True):
    """A single value; if there are `options`, one of them.

    Attributes:
        unit: of a number: `ms`, `seconds` or `bytes`; empty for a plain number.
    """

    kind: Kind
    options: tuple[str, ...] = ()
    unit: str = ""


class Free(msgspec.Struct, frozen=True):
    """A value of any shape, such as the fields of a plugin."""


class TextOrTexts(msgspec.Struct, frozen=True):
    """A text, or a list of texts."""


class ListOf(msgspec.Struct, frozen=True):
    """A non-empty list.

    Attributes:
        wrapper: the one key that each entry is wrapped in (`item`), or empty.
        tolerant: other keys beside the wrapper are a warning, not an error.
        unique: equal entries are an error.
        or_one: a single entry may be written without a list; expansion has made it a list before the check.
    """

    entry: Shape
    wrapper: str = ""
    tolerant: bool = False
    unique: bool = False
    or_one: bool = False

    def is_met_by(self, names: tuple[str, ...], texts: tuple[str, ...]) -> bool:
        """Whether a table of texts is surely a valid entry; False means that it needs the full check."""
        entry = self.entry
        if self.wrapper or not isinstance(entry, Record) or not entry.needs_names_only:
            return False
        return frozenset(names) == entry.required_names and all(map(str.strip, texts))


class Key(msgspec.Struct, frozen=True):
    """A key of a record: its shape, its meaning in one sentence, and an example of its use."""

    name: str
    shape: Shape
    sentence: str
    example: str
    required: bool = False

    @property
    def nested(self) -> tuple[Key, ...]:
        """The keys of its mapping, or of each mapping in its list; empty if it has another value."""
        shape = self.shape
        entry = shape.entry if isinstance(shape, ListOf) and not shape.wrapper else shape
        return entry.keys if isinstance(entry, Record) else ()


class Record(msgspec.Struct, frozen=True):
    """A mapping with known keys, and perhaps further entries that the user names.

    Attributes:
        others: the shape of all further entries; None if there must be none.
        called: what messages call a further entry, as `task`; at least one is needed unless `may_be_empty`.
        short: the short form that may be written instead, as `a selector`; it is expanded before the check.
        entry: a valid value of a further entry, for the hint.
        values_for: a key with placeholders, as `url`, whose values are unknown keys beside it; the expansion
            of short forms moves these keys elsewhere.
        names: the known keys.
        required_names: the known keys that the mapping must have.
        needs_names_only: whether the values of all required keys are names.
    """

    keys: tuple[Key, ...] = ()
    others: Shape | None = None
    called: str = ""
    may_be_empty: bool = False
    short: str = ""
    entry: str = ""
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

    def owner_of(self, name: str) -> Key | None:
        """Return the key below which another key belongs that was written beside it; None if there is none.

        >>> inner = Key("frames", Scalar(Kind.BOOL), "", "frames: true")
        >>> Record((Key("browser", Record((inner,)), "", ""),)).owner_of("frames").name
        'browser'
        """
        return next((key for key in self.keys if any(inner.name == name for inner in key.nested)), None)


class StepsSet(msgspec.Struct, frozen=True):
    """A set of steps by name.

    Attributes:
        step: the shape if any entry has a `class`: all entries are steps.
        nested: the shape otherwise: a base set, and the steps that differ from it.
    """

    step: Record
    nested: Record


class NameOr(msgspec.Struct, frozen=True):
    """A name or a mapping.

    Attributes:
        record: the shape of the mapping.
        options: the allowed names; empty for any.
    """

    record: Record
    options: tuple[str, ...] = ()


class Either(msgspec.Struct, frozen=True):
    """A mapping of one of two shapes.

    Attributes:
        usual: the shape of a mapping without any of the keys in `marks`.
        other: the shape of a mapping with one of them.
    """

    usual: Record
    other: Record
    marks: frozenset[str]


Shape = Scalar | Free | TextOrTexts | ListOf | Record | StepsSet | NameOr | Either
