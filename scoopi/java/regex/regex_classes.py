"""CharacterClass: translates a character class, with unions, intersections and negation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from scoopi.java.regex.regex_escapes import Cursor, Flags, char_text, read_escape

Range = tuple[int, int]

_LAST_CASED = 0x1E943
_SIMPLE_LOWER = {0x130: 0x69}
"""Characters whose simple lower-case mapping differs from Python's `lower()`."""
_EVERYTHING = r"\x00-\U0010ffff"
_CLOSE = "close the class with ]"


def spread(first: int, last: int, *, unicode: bool) -> list[Range]:
    """The range of code points, both ends inclusive, and ranges for their other cases.

    Only ASCII letters have cases, unless `unicode` (Java's UNICODE_CASE) is set.
    """
    if first == last and not (unicode or _is_letter(first)):
        return [(first, last)]
    others = _unicode_others(first, last) if unicode else _ascii_others(first, last)
    return [(first, last), *((other, other) for other in sorted(set(others)) if not first <= other <= last)]


def _is_letter(code: int) -> bool:
    return 65 <= code <= 90 or 97 <= code <= 122


def _ascii_others(first: int, last: int) -> Iterable[int]:
    return [code for code in range(65, 123) if _is_letter(code) and first <= code ^ 32 <= last]


def _unicode_others(first: int, last: int) -> Iterable[int]:
    if first == last:
        return _by_fold().get(_fold(first), ())
    return [
        code
        for fold, codes in _by_fold().items()
        for code in codes
        if first <= fold <= last or first <= _upper(code) <= last
    ]


@cache
def _by_fold() -> dict[int, list[int]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for code in range(_LAST_CASED + 1):
        sign = chr(code)
        if sign.lower() != sign or sign.upper() != sign:
            groups[_fold(code)].append(code)
    return dict(groups)


def _fold(code: int) -> int:
    upper = _upper(code)
    lower = chr(upper).lower()
    return _SIMPLE_LOWER.get(upper, ord(lower) if len(lower) == 1 else upper)


def _upper(code: int) -> int:
    upper = chr(code).upper()
    return ord(upper) if len(upper) == 1 else code


def code_set(first: int, last: int, flags: Flags) -> str:
    """The inside of a set of the `regex` module for a range of code points, both ends inclusive.

    Includes their other cases if the flags require it.
    """
    ranges = [(first, last)]
    if "i" in flags:
        ranges = spread(first, last, unicode="u" in flags or "U" in flags)
    return "".join(
        char_text(low) if low == high else f"{char_text(low)}-{char_text(high)}" for low, high in ranges
    )


class CharacterClass:
    """Translates one character class of a pattern.

    Args:
        cursor: positioned after the opening bracket.
        flags: the flags that apply there.
    """

    def __init__(self, cursor: Cursor, flags: Flags) -> None:
        self._cursor = cursor
        self._flags = flags

    def read(self) -> str:
        """Consume the class and its closing bracket; return it as a set of the `regex` module.

        Raises:
            ParseError: the class is invalid.
        """
        negated, inside = self._inside()
        return f"[{'^' if negated else ''}{inside}]"

    def _nested(self) -> str:
        """A nested class.

        A negated one is written as a difference: of a union of negated single characters, `[[^a][^b]]`, the
        `regex` module drops all but the last.
        """
        negated, inside = self._inside()
        return f"[{_EVERYTHING}--[{inside}]]" if negated else f"[{inside}]"

    def _inside(self) -> tuple[bool, str]:
        negated = self._cursor.take("^")
        inside = self._body()
        self._cursor.next()
        return negated, inside

    def _body(self) -> str:
        """Everything up to the closing bracket, which is not consumed."""
        inside = ""
        while True:
            sign = self._peek()
            if not sign:
                raise self._cursor.error("the character class is not closed", _CLOSE)
            if sign == "]" and inside:
                return inside
            if self._cursor.take("["):
                inside += self._nested()
            elif self._cursor.take("&&"):
                inside = _intersection(inside, self._right_side())
                if not inside:
                    raise self._cursor.error("&& has nothing on its sides", "as in [a-z&&[^b]]")
            else:
                inside += self._range()

    def _right_side(self) -> str:
        """Nested classes, then the rest of the class as one more."""
        inside = ""
        while (sign := self._peek()) and sign not in "]&":
            inside += self._nested() if self._cursor.take("[") else f"[{self._body()}]"
        return inside

    def _range(self) -> str:
        first = self._end_of_range()
        if isinstance(first, str):
            return first
        if self._peek() != "-" or self._cursor.peek(1) in ("", "[", "]"):
            return code_set(first, first, self._flags)
        self._cursor.next()
        last = self._end_of_range()
        if isinstance(last, str) or last < first:
            raise self._cursor.error("the range ends before it begins", "as in [a-z]")
        return code_set(first, last, self._flags)

    def _end_of_range(self) -> int | str:
        self._peek()
        if self._cursor.take("\\"):
            ranged = self._cursor.peek(1) == "-"
            return read_escape(self._cursor, self._flags, before_range=ranged)
        return ord(self._cursor.next())

    def _peek(self) -> str:
        if "x" in self._flags:
            self._cursor.skip_comments("d" in self._flags)
        return self._cursor.peek()


def _intersection(left: str, right: str) -> str:
    return f"[[{left}]&&[{right}]]" if left and right else left or right
