"""Cursor: a place in a Java pattern, whose quoted stretches are already written as escapes."""

from __future__ import annotations

from scoopi.errors import ParseError

_SHOWN = 200
_BLANK = " \t\n\x0b\f\r"
_LINE_ENDS = "\n\r\x85\u2028\u2029"


class Cursor:
    """Moves over a pattern, and makes errors with their position in it."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._signs, self._positions = _unquoted(pattern)
        self._index = 0

    def peek(self, ahead: int = 0) -> str:
        """The next sign, or one further ahead; empty behind the end."""
        index = self._index + ahead
        return self._signs[index] if index < len(self._signs) else ""

    def next(self) -> str:
        """The next sign, which is passed; empty at the end."""
        sign = self.peek()
        self._index += len(sign)
        return sign

    def take(self, text: str) -> bool:
        """Whether `text` comes next; it is passed then."""
        if self._signs[self._index : self._index + len(text)] != list(text):
            return False
        self._index += len(text)
        return True

    def until(self, end: str, fault: str) -> str:
        """The text before `end`; the cursor moves behind `end`."""
        try:
            stop = self._signs.index(end, self._index)
        except ValueError:
            raise self.error(fault, f"close it with {end}") from None
        text = "".join(self._signs[self._index : stop])
        self._index = stop + 1
        return text

    def digits(self, allowed: str, most: int) -> str:
        """The next signs, `most` at most, as long as they are among the allowed ones."""
        found = ""
        while len(found) < most and self.peek() and self.peek() in allowed:
            found += self.next()
        return found

    def skip_comments(self, unix_lines: bool) -> None:
        """Pass blanks and comments, which count for nothing under the flag x."""
        ends = "\n" if unix_lines else _LINE_ENDS
        while self.peek() and self.peek() in _BLANK + "#":
            if self.next() == "#":
                while self.peek() and self.peek() not in ends:
                    self.next()

    def error(self, fault: str, hint: str) -> ParseError:
        """The fault, placed at the sign that was passed last."""
        index = min(max(self._index - 1, 0), len(self._positions) - 1)
        return ParseError(
            f"the regex {shown(self._pattern)} is wrong at character {self._positions[index] + 1}: {fault}",
            hint=hint,
        )


def shown(pattern: str) -> str:
    """The pattern in quotes, shortened where it would fill the report."""
    return repr(pattern) if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]!r}…"


def _unquoted(pattern: str) -> tuple[list[str], list[int]]:
    r"""Signs without `\Q…\E`, whose inside is written as hexadecimal escapes; their positions beside them."""
    signs: list[str] = []
    positions: list[int] = []
    index = 0
    while index < len(pattern):
        if pattern.startswith("\\Q", index):
            end = pattern.find("\\E", index + 2)
            stop = len(pattern) if end < 0 else end
            for place in range(index + 2, stop):
                escape = f"\\x{{{ord(pattern[place]):x}}}"
                signs += escape
                positions += [place] * len(escape)
            index = stop + 2
            continue
        length = 2 if pattern[index] == "\\" else 1
        signs += pattern[index : index + length]
        positions += range(index, min(index + length, len(pattern)))
        index += length
    return signs, [*positions, len(pattern)]
