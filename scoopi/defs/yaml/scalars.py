"""Scalars: texts as written, read as the number, range or truth that a key wants.

Source: defs/README.md, 1.2, 2.2.
"""

from __future__ import annotations

import re

LARGEST = 2**31 - 1
_MOST_DIGITS = 4000
"""Python turns no longer text into a number."""
_INTEGER = re.compile(r"[+-]?[0-9][0-9_]*")
_RANGE = re.compile(r"([0-9]+)(-([0-9]+)?)?")
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off"})


def read_integer(text: str) -> int | None:
    """A decimal number of 32 bits, `010` is ten; None when the text is none."""
    if not _INTEGER.fullmatch(text) or len(text) > _MOST_DIGITS:
        return None
    number = int(text.replace("_", ""))
    return number if -LARGEST <= number <= LARGEST else None


def is_too_large(text: str, *, is_range: bool) -> bool:
    """Whether a text fails as a number or range only because it is too large."""
    return bool((_RANGE if is_range else _INTEGER).fullmatch(text))


def read_range(text: str) -> tuple[int, int | None] | None:
    """First and last index, the last None for an open range; None if the text is not a range.

    >>> read_range("2-6"), read_range("6-2"), read_range("3"), read_range("2-"), read_range("x")
    ((2, 6), (2, 6), (3, 3), (2, None), None)
    """
    if text == "-":
        return 0, 0
    found = _RANGE.fullmatch(text)
    if not found or len(text) > _MOST_DIGITS:
        return None
    first, last = int(found[1]), int(found[3] or found[1])
    if max(first, last) > LARGEST:
        return None
    if found[2] and not found[3]:
        return first, None
    return min(first, last), max(first, last)


def read_bounds(text: str) -> tuple[int, int] | None:
    """Both numbers of a closed range in the order in which they are written; None for anything else."""
    found = _RANGE.fullmatch(text)
    closed = found is not None and found[3] is not None and read_range(text) is not None
    return (int(found[1]), int(found[3])) if found is not None and closed else None


def read_bool(text: str) -> bool | None:
    """true, yes, on; false, no, off, in any case; None for anything else."""
    plain = text.lower()
    return True if plain in _TRUE else False if plain in _FALSE else None
