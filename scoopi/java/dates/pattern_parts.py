"""PatternPart: one part of a date pattern, a field or plain text."""

from __future__ import annotations

from functools import cache
from itertools import zip_longest
from typing import NamedTuple

LETTERS = "GyYMLdkHhKaEuDFwWmsSzZX"
"""The letters of fields."""
MOST_ISO_ZONE = 3
"""How often the letter X may be repeated."""


class PatternPart(NamedTuple):
    """One part of a date pattern: a field or plain text.

    Attributes:
        letter: letter of the field, one of LETTERS; empty for plain text.
        width: how often the letter is repeated.
        text: the plain text.
        abuts: whether a numeric field follows directly, so that this one has exactly `width` digits.
    """

    letter: str
    width: int = 0
    text: str = ""
    abuts: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the field is numeric."""
        return bool(self.letter) and (
            self.letter not in "GMLaEzZX" or (self.letter in "ML" and self.width < 3)
        )


@cache
def parts_of(pattern: str) -> tuple[PatternPart, ...]:
    """Parse a pattern into its parts.

    Raises:
        ValueError: an unknown letter, too many letters X, or an unclosed quote.
    """
    parts: list[PatternPart] = []
    index = 0
    while index < len(pattern):
        sign = pattern[index]
        if sign == "'":
            text, index = quoted(pattern, index)
            _add_text(parts, text)
        elif sign.isascii() and sign.isalpha():
            end = index + 1
            while end < len(pattern) and pattern[end] == sign:
                end += 1
            parts.append(_field(sign, end - index))
            index = end
        else:
            _add_text(parts, sign)
            index += 1
    return tuple(
        part._replace(abuts=part.is_number and after.is_number)
        for part, after in zip_longest(parts, parts[1:], fillvalue=PatternPart(""))
    )


def _field(letter: str, count: int) -> PatternPart:
    if letter not in LETTERS:
        raise ValueError(f"{letter} is not a letter of a date pattern; put plain text in quotes")
    if letter == "X" and count > MOST_ISO_ZONE:
        raise ValueError("a date pattern has at most XXX")
    return PatternPart(letter, count)


def _add_text(parts: list[PatternPart], text: str) -> None:
    if parts and not parts[-1].letter:
        parts[-1] = PatternPart("", text=parts[-1].text + text)
    else:
        parts.append(PatternPart("", text=text))


def quoted(pattern: str, start: int) -> tuple[str, int]:
    """The quoted text that starts at index `start`, and the index at which the pattern continues.

    >>> quoted("yyyy'o''clock'X", 4)
    ("o'clock", 14)

    Raises:
        ValueError: the quotes are not closed.
    """
    if pattern.startswith("''", start):
        return "'", start + 2
    end = start + 1
    while (end := pattern.find("'", end)) >= 0:
        if not pattern.startswith("''", end):
            return pattern[start + 1 : end].replace("''", "'"), end + 1
        end += 2
    raise ValueError("a quote of the date pattern is not closed; write '' for an apostrophe")
