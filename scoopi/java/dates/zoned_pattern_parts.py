"""ZonedPart: one part of a pattern of Java's DateTimeFormatter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from scoopi.java.dates.pattern_parts import quoted

OPTIONAL, PADDED, LITERAL = "[", "p", ""
"""The values of `ZonedPart.letter` for parts that are not fields."""
NAMES = "GMLQqEeca"
ZONES = "VzOXxZ"
_WIDEST: Mapping[str, int] = MappingProxyType(
    dict.fromkeys("dhHkKmsw", 2) | dict.fromkeys("WFa", 1) | dict.fromkeys("GMLQqEec", 5)
    | {"D": 3, "S": 9, "V": 2, "z": 4, "O": 4, "X": 5, "x": 5, "Z": 5}
)  # fmt: skip
_LETTERS = "GuyYDMLdQqwWEecFahKkHmsSAnNVzOXxZ"
_UNBOUNDED = 19


class ZonedPart(NamedTuple):
    """One part of a pattern: a field, plain text, optional parts or a padded part.

    Attributes:
        letter: letter of a field; OPTIONAL, PADDED or LITERAL for the other kinds.
        width: how often the letter is repeated; of a padded part, its width.
        text: the plain text.
        parts: the parts inside an optional or padded part.
        reserved: number of digits of the fixed-width fields that follow directly.
    """

    letter: str
    width: int = 0
    text: str = ""
    parts: tuple[ZonedPart, ...] = ()
    reserved: int = 0

    @property
    def is_number(self) -> bool:
        """Whether the field is numeric."""
        if self.letter in (LITERAL, OPTIONAL, PADDED) or self.letter in ZONES + "Ga":
            return False
        return self.width <= 2 and self.letter != "E" if self.letter in NAMES else True

    @property
    def digits(self) -> tuple[int, int]:
        """The least and the greatest number of digits of a numeric field."""
        if self.letter in "uyY":
            return (2, 2) if self.width == 2 else (self.width, _UNBOUNDED)
        if self.letter in "AnN":
            return self.width, _UNBOUNDED
        if self.letter == "D" and self.width == 2:
            return 2, 3
        return (1, _UNBOUNDED) if self.width == 1 and self.letter != "S" else (self.width, self.width)


@cache
def zoned_parts(pattern: str) -> tuple[ZonedPart, ...]:
    """Parse a pattern into its parts.

    Raises:
        ValueError: an unknown letter or width, or an unclosed quote or bracket.
    """
    stack: list[list[ZonedPart]] = [[]]
    index = padding = 0
    while index < len(pattern):
        sign, end = pattern[index], index + 1
        if sign == "'":
            text, end = quoted(pattern, index)
            stack[-1].append(ZonedPart(LITERAL, text=text))
        elif sign == "[":
            stack.append([])
        elif sign == "]":
            if len(stack) == 1:
                raise ValueError("unmatched ]")
            inner = tuple(_abutting(stack.pop()))
            stack[-1].append(ZonedPart(OPTIONAL, parts=inner))
        elif sign.isascii() and sign.isalpha():
            while end < len(pattern) and pattern[end] == sign:
                end += 1
            if sign == PADDED:
                padding = end - index
            else:
                part = _field(sign, end - index)
                stack[-1].append(ZonedPart(PADDED, padding, parts=(part,)) if padding else part)
                padding = 0
        elif sign in "{}#":
            raise ValueError(f"{sign} is reserved in a date pattern; put it in quotes")
        else:
            stack[-1].append(ZonedPart(LITERAL, text=sign))
        if padding and sign != PADDED:
            raise ValueError("p pads the field after it, but none follows")
        index = end
    if len(stack) > 1 or padding:
        raise ValueError("a [ of the date pattern is not closed" if len(stack) > 1 else "p pads nothing")
    return tuple(_abutting(stack[0]))


def _field(letter: str, width: int) -> ZonedPart:
    if letter not in _LETTERS:
        raise ValueError(f"{letter} is not a letter of a date pattern; put plain text in quotes")
    if width > _WIDEST.get(letter, _UNBOUNDED) or (
        letter in "cV" and (letter, width) in (("c", 2), ("V", 1))
    ):
        raise ValueError(f"{letter * width} is not a field of a date pattern")
    if letter == "O" and width not in (1, 4):
        raise ValueError("a date pattern has O or OOOO")
    return ZonedPart(letter, width)


def _abutting(parts: list[ZonedPart]) -> list[ZonedPart]:
    """The parts, each numeric one with the digits that it must leave to those after it."""
    reserved, result = 0, []
    for part in reversed(parts):
        result.append(part._replace(reserved=reserved) if part.is_number else part)
        least, most = part.digits if part.is_number else (0, -1)
        reserved = reserved + least if least == most else 0
    return result[::-1]
