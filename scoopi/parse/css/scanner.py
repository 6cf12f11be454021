"""Scanner: reads the text of a selector and reports the character at which it is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

from scoopi.errors import ParseError
from scoopi.parse.css.bound_text import bound

_BLANKS = " \t\n\f\r"

OWN_ELEMENT = "the element itself is '*', as the first that matches counts"
"""Hint for the `:scope` and `.` of other tools."""


class Scanner:
    """Reads the text of a selector, or of a part in brackets, and reports the character at which it is wrong.

    Args:
        text: the text to read.
        whole: the selector as the user wrote it, for messages.
        offset: where `text` starts in `whole`.
        values: values of the page, by the letters that replace them in the text.
    """

    def __init__(
        self, text: str, whole: str, offset: int = 0, values: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.text = text
        self.whole = whole
        self.offset = offset
        self.values = values
        self.position = 0

    @property
    def at_end(self) -> bool:
        return self.position >= len(self.text)

    def peek(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.position : self.position + 1]

    def take(self, expected: str) -> bool:
        """Consume `expected` if it comes next; return whether it did."""
        if self.text.startswith(expected, self.position):
            self.position += len(expected)
            return True
        return False

    def skip_blanks(self) -> bool:
        """Consume white space; return whether there was any."""
        begin = self.position
        while self.peek() and self.peek() in _BLANKS:
            self.position += 1
        return self.position > begin

    def word(self, extra: str) -> str:
        """Consume and return letters, digits and characters of `extra`; the result may be empty."""
        begin = self.position
        while self.peek().isalnum() or (self.peek() and self.peek() in extra):
            self.position += 1
        return self.text[begin : self.position]

    def up_to(self, end: str) -> str:
        """Consume and return the text before `end`, and consume `end`; without one, the rest of the text."""
        rest = self.text[self.position :]
        found, _, _ = rest.partition(end)
        self.position += min(len(found) + len(end), len(rest))
        return found

    def between(self, opening: str, closing: str) -> tuple[str, int]:
        """Consume a bracketed part; return its text, and the index of that in the whole selector.

        Brackets inside must balance. A backslash escapes the next character; quotes and `\\Q…\\E` escape what
        they enclose. A lone apostrophe, as in `:contains(Shareholder's)`, is an ordinary character.

        Raises:
            ParseError: the closing bracket is missing.
        """
        begin = self.position + 1
        end = self._closing(opening, closing, heed_quotes=True) or self._closing(opening, closing)
        if end is None:
            self.fail(
                f"no '{closing}' closes this '{opening}'", hint=f"add '{closing}', or write '\\{opening}'"
            )
        self.position = end + 1
        return self.text[begin:end], self.offset + begin

    def _closing(self, opening: str, closing: str, *, heed_quotes: bool = False) -> int | None:
        depth, quote, literal, last = 0, "", False, ""
        for position in range(self.position, len(self.text)):
            char = self.text[position]
            if last == "\\":
                literal = char == "Q" or (literal and char != "E")
            elif heed_quotes and char in "'\"" and quote in ("", char):
                quote = "" if quote else char
            elif not quote and not literal:
                depth += (char == opening) - (char == closing)
                if depth == 0:
                    return position
            last = char
        return None

    def fail(self, what: str, *, hint: str, at: int | None = None) -> NoReturn:
        """Raise a ParseError for the character at `at` in `text`, by default the next one."""
        before = self.whole[: self.offset + (self.position if at is None else at)]
        position = len(bound(before, self.values)) + 1
        whole, what = bound(self.whole, self.values), bound(what, self.values)
        raise ParseError(
            f"selector '{whole}': {what}, at character {position}", hint=bound(hint, self.values)
        )
