"""Cursor: a position in a Java pattern; read_escape: reads escaped characters and classes at it."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from scoopi.errors import ParseError
from scoopi.java.regex.regex_properties import UNICODE_WORD, property_set

_SHOWN = 200
_BLANK = " \t\n\x0b\f\r"
_LINE_ENDS = "\n\r\x85\u2028\u2029"
Flags = frozenset[str]
"""Letters of the active flags: d i m s u x U."""
_HEX = "0123456789abcdefABCDEF"
_SIMPLE: Mapping[str, int] = MappingProxyType(
    {"t": 9, "n": 10, "r": 13, "f": 12, "a": 7, "e": 27},
)
_VERTICAL = r"\x0a-\x0d\x85\u2028\u2029"
_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "d": "0-9",
        "w": "a-zA-Z_0-9",
        "s": r"\x20\x09-\x0d",
        "h": r"\x20\x09\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000",
        "v": _VERTICAL,
    }
)
_UNICODE_CLASSES: Mapping[str, str] = MappingProxyType(
    {"d": r"\p{Nd}", "w": UNICODE_WORD, "s": r"\p{White_Space}"}
)


class Cursor:
    r"""A position in a Java pattern, which moves forward as the pattern is read and which errors report.

    The contents of `\Q…\E` are read as escaped characters.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._signs, self._positions = _unquoted(pattern)
        self._index = 0

    def peek(self, ahead: int = 0) -> str:
        """The character `ahead` characters after the next one, without consuming it; empty after the end."""
        index = self._index + ahead
        return self._signs[index] if index < len(self._signs) else ""

    def next(self) -> str:
        """Consume and return the next character; empty at the end."""
        sign = self.peek()
        self._index += len(sign)
        return sign

    def take(self, text: str) -> bool:
        """Consume `text` if it comes next; return whether it did."""
        if self._signs[self._index : self._index + len(text)] != list(text):
            return False
        self._index += len(text)
        return True

    def until(self, end: str, fault: str) -> str:
        """Consume and return the text before `end`, and consume `end`.

        Raises:
            ParseError: `end` is missing; `fault` says what is not closed.
        """
        try:
            stop = self._signs.index(end, self._index)
        except ValueError:
            raise self.error(fault, f"close it with {end}") from None
        text = "".join(self._signs[self._index : stop])
        self._index = stop + 1
        return text

    def digits(self, allowed: str, most: int) -> str:
        """Consume and return up to `most` of the `allowed` characters."""
        found = ""
        while len(found) < most and self.peek() and self.peek() in allowed:
            found += self.next()
        return found

    def skip_comments(self, unix_lines: bool) -> None:
        """Consume blanks and comments, which the flag x makes insignificant.

        Args:
            unix_lines: whether the flag d is set, with which a comment ends at a line feed only.
        """
        ends = "\n" if unix_lines else _LINE_ENDS
        while self.peek() and self.peek() in _BLANK + "#":
            if self.next() == "#":
                while self.peek() and self.peek() not in ends:
                    self.next()

    def error(self, fault: str, hint: str) -> ParseError:
        """Make the error for a fault at the character that was consumed last."""
        index = min(max(self._index - 1, 0), len(self._positions) - 1)
        return ParseError(
            f"the regex {shown(self._pattern)} is wrong at character {self._positions[index] + 1}: {fault}",
            hint=hint,
        )


def shown(pattern: str) -> str:
    """The pattern in quotes, for messages; cut to 200 characters."""
    return repr(pattern) if len(pattern) <= _SHOWN else f"{pattern[:_SHOWN]!r}…"


def _unquoted(pattern: str) -> tuple[list[str], list[int]]:
    r"""The characters, with the contents of `\Q…\E` as hexadecimal escapes, and the position of each."""
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


def char_text(code: int) -> str:
    """A code point as text that the `regex` module takes literally, inside and outside a set."""
    if code < 128 and chr(code).isalnum():
        return chr(code)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def read_escape(cursor: Cursor, flags: Flags, *, before_range: bool = False) -> int | str:
    """Consume what follows a backslash; return a code point, or a set of the `regex` module.

    Args:
        flags: the flags that apply there.
        before_range: whether a hyphen follows inside a set, where `\\v` is U+000B.
    Raises:
        ParseError: Java has no such escape here.
    """
    sign = cursor.next()
    if not sign:
        raise cursor.error("the backslash at its end escapes nothing", r"write \\ for a backslash")
    if sign in _SIMPLE:
        return _SIMPLE[sign]
    if sign in "pP":
        return _property(cursor, flags, negated=sign == "P")
    if sign.lower() in _CLASSES and not (sign == "v" and before_range):
        named = _UNICODE_CLASSES if "U" in flags and sign.lower() in _UNICODE_CLASSES else _CLASSES
        return f"[{'^' if sign.isupper() else ''}{named[sign.lower()]}]"
    if sign in "0xuNc" or sign == "v":
        return _code(cursor, sign)
    if sign.isascii() and sign.isalnum():
        raise cursor.error(f"there is no escape \\{sign} here", f"write {sign} or another escape")
    return ord(sign)


def _property(cursor: Cursor, flags: Flags, *, negated: bool) -> str:
    braced = cursor.take("{")
    name = cursor.until("}", "a property's name is not closed") if braced else cursor.next()
    inside = property_set(name, any_case="i" in flags, unicode_classes="U" in flags)
    if inside is None:
        raise cursor.error(f"there is no property {name!r}", r"as in \p{L}, \p{Alpha}, \p{IsLatin}")
    return f"[{'^' if negated else ''}{inside}]"


def _code(cursor: Cursor, sign: str) -> int:
    match sign:
        case "0":
            return _octal(cursor)
        case "x":
            return _hexadecimal(cursor)
        case "u":
            return _unicode(cursor)
        case "N":
            return _named(cursor)
        case "c":
            control = cursor.next()
            if not control:
                raise cursor.error(r"\c needs a character", r"as in \cA")
            return ord(control) ^ 64
    return 11


def _octal(cursor: Cursor) -> int:
    most = 3 if cursor.peek() and cursor.peek() in "0123" else 2
    digits = cursor.digits("01234567", most)
    if not digits:
        raise cursor.error(r"\0 needs octal digits", r"as in \012")
    return int(digits, 8)


def _hexadecimal(cursor: Cursor) -> int:
    if cursor.take("{"):
        digits = cursor.until("}", r"\x{ is not closed")
        if digits and all(digit in _HEX for digit in digits) and int(digits, 16) <= 0x10FFFF:
            return int(digits, 16)
        raise cursor.error(f"{digits!r} is not a code point", r"as in \x{1F600}")
    digits = cursor.digits(_HEX, 2)
    if len(digits) < 2:
        raise cursor.error(r"\x needs two hexadecimal digits", r"as in \x0A")
    return int(digits, 16)


def _unicode(cursor: Cursor) -> int:
    code = _four_digits(cursor)
    if 0xD800 <= code < 0xDC00 and cursor.peek() == "\\" and cursor.peek(1) == "u":
        low = "".join(cursor.peek(ahead) for ahead in range(2, 6))
        if len(low) == 4 and all(digit in _HEX for digit in low) and 0xDC00 <= int(low, 16) < 0xE000:
            cursor.take("\\u" + low)
            return 0x10000 + ((code - 0xD800) << 10) + int(low, 16) - 0xDC00
    return code


def _four_digits(cursor: Cursor) -> int:
    digits = cursor.digits(_HEX, 4)
    if len(digits) < 4:
        raise cursor.error(r"\u needs four hexadecimal digits", r"as in \u00A0")
    return int(digits, 16)


def _named(cursor: Cursor) -> int:
    if cursor.take("{"):
        name = cursor.until("}", "a character's name is not closed")
        try:
            return ord(unicodedata.lookup(name))
        except (KeyError, TypeError):
            raise cursor.error(f"there is no character {name!r}", "look up its name in Unicode") from None
    raise cursor.error(r"\N needs a name", r"as in \N{BULLET}")
