"""Translator: translates a Java pattern to an equivalent one for the `regex` module."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from scoopi.java.regex.regex_classes import CharacterClass, code_set
from scoopi.java.regex.regex_escapes import Cursor, Flags, char_text, read_escape
from scoopi.java.regex.regex_properties import UNICODE_WORD

_NEVER = "(?!)"
_LINE_BREAK = r"(?:\r\n|[\x0a-\x0d\x85\u2028\u2029])"
_ENDS = r"[\n\r\x85\u2028\u2029]"
_WORD = "[a-zA-Z_0-9]"
"""Word boundaries use the same characters as `\\w`, as in Java since version 19."""
_LAST_LINE = rf"(?:(?=(?:\r\n|{_ENDS})?\Z)(?!(?<=\r)\n))"
_LAST_UNIX_LINE = r"(?:(?=\n?\Z))"
_LARGEST = 2**31 - 1
_LONGEST = 200_000
"""Limit of a translated pattern, in characters with repetitions expanded, as the `regex` module does; such a
pattern takes up to 2 s to compile."""

_MARKS: Mapping[str, str] = MappingProxyType(
    {"A": r"\A", "G": r"\A", "z": r"\Z", "R": _LINE_BREAK, "X": r"\X"}
)
_LOOKS = ("?=", "?!", "?<=", "?<!", "?>", "?:")
_FLAGS = "idmsuxUc"


class Translator:
    """Translates one pattern from left to right; used once.

    Attributes:
        names: name of a group -> its number, after `translate`.
    """

    def __init__(self, pattern: str) -> None:
        self._cursor = Cursor(pattern)
        self._flags: Flags = frozenset()
        self._groups = 0
        self._closed: set[int] = set()
        self.names: dict[str, int] = {}
        self._ahead: list[int] = []
        self._length = 0

    def translate(self) -> str:
        """Translate the pattern; the result contains no flags, as these are resolved during the translation.

        Raises:
            ParseError: Java would reject the pattern, or it cannot be translated.
        """
        text = self._alternatives()
        if self._cursor.next():
            raise self._cursor.error("unmatched )", r"remove it, or write \)")
        if any(group <= self._groups for group in self._ahead):
            raise self._cursor.error(
                "a reference to a group that is not complete yet", "refer only to groups that end before it"
            )
        return text

    def _alternatives(self) -> str:
        branches = [self._sequence()]
        while self._cursor.take("|"):
            branches.append(self._sequence())
        return "|".join(branches)

    def _sequence(self) -> str:
        pieces = []
        while (sign := self._peek()) and sign not in "|)":
            if sign in "*+?":
                self._cursor.next()
                raise self._cursor.error(f"{sign} repeats nothing", f"write \\{sign} for the character")
            before = self._length
            atom = "" if sign == "{" else self._atom()
            if atom is not None:
                self._length = max(self._length, before + len(atom))
                pieces.append(self._repeated(atom, before))
        return "".join(pieces)

    def _atom(self) -> str | None:
        """The next atom; None for flags, which take no quantifier."""
        sign = self._cursor.next()
        match sign:
            case "(":
                return self._group()
            case "[":
                return CharacterClass(self._cursor, self._flags).read()
            case "\\":
                return self._escape()
            case ".":
                return self._any()
            case "^":
                return self._line_start()
            case "$":
                return self._line_end()
        return self._literal(ord(sign))

    def _repeated(self, atom: str, length_before: int) -> str:
        """The atom with its quantifier; `length_before` is the length of the pattern before it."""
        self._peek()
        if self._cursor.take("{"):
            count = self._count()
            copies = int(count[1:-1].partition(",")[0])
            self._length += (self._length - length_before) * max(copies - 1, 0)
        elif self._cursor.peek() and self._cursor.peek() in "*+?":
            count = self._cursor.next()
        else:
            count = ""
        if self._length > _LONGEST:
            raise self._cursor.error(
                f"with its repetitions it is longer than {_LONGEST:,} characters",
                "nested repetitions multiply: use smaller numbers, or + and *",
            )
        if not count:
            return atom
        if atom == _LINE_BREAK:
            atom = f"(?>{atom})"
        elif atom == "" or atom.startswith(("(?=", "(?!", "(?<", r"\A", r"\Z", r"\X")):
            atom = f"(?:{atom})"
        self._peek()
        kind = self._cursor.next() if self._cursor.peek() in ("?", "+") else ""
        return f"{atom}{count}{kind}"

    def _count(self) -> str:
        least = self._cursor.digits("0123456789", 11)
        if not least:
            raise self._cursor.error("{ needs a number", r"as in a{2,3}; write \{ for the character")
        most: str | None = least
        if self._cursor.take(","):
            most = self._cursor.digits("0123456789", 11)
        if not self._cursor.take("}"):
            raise self._cursor.error("the repetition is not closed", "close it with }")
        if int(most or least) < int(least) or max(int(least), int(most or 0)) > _LARGEST:
            raise self._cursor.error("the repetition's range is impossible", "as in a{2,3}")
        return f"{{{least},{most}}}" if most != least else f"{{{least}}}"

    def _group(self) -> str | None:
        self._peek()
        before = self._flags
        opening = next((look for look in _LOOKS if self._cursor.take(look)), None)
        if opening is not None:
            return self._closed_group(f"({opening}", before)
        if self._cursor.take("?<"):
            return self._capturing(before, self._cursor.until(">", "a group's name is not closed"))
        if not self._cursor.take("?"):
            return self._capturing(before)
        self._flags = self._changed_flags()
        if self._cursor.next() == ")":
            return None
        return self._closed_group("(?:", before)

    def _capturing(self, before: Flags, name: str = "") -> str:
        self._groups += 1
        number = self._groups
        if name:
            self._name(name, number)
        text = self._closed_group("(", before)
        self._closed.add(number)
        return text

    def _name(self, name: str, number: int) -> None:
        if not (name.isascii() and name.isalnum() and name[0].isalpha()):
            raise self._cursor.error(f"{name!r} is not a valid name of a group", "use letters and digits")
        if name in self.names:
            raise self._cursor.error(f"there are two groups {name}", "give each its own name")
        self.names[name] = number

    def _closed_group(self, opening: str, before: Flags) -> str:
        inside = self._alternatives()
        if not self._cursor.take(")"):
            raise self._cursor.error("a group is not closed", "close it with )")
        self._flags = before
        return f"{opening}{inside})"

    def _changed_flags(self) -> Flags:
        """The flags after `(?`; the cursor stops before the `:` or `)` that follows them."""
        on: set[str] = set()
        off: set[str] = set()
        target = on
        while self._cursor.peek() not in (":", ")"):
            sign = self._cursor.next()
            if sign == "-" and target is on:
                target = off
            elif sign and sign in _FLAGS:
                target.add(sign)
            else:
                raise self._cursor.error(f"(? is followed by {sign!r}", "Java knows (?: (?= (?<name> (?i) …")
        return frozenset((self._flags | on) - off)

    def _escape(self) -> str:
        sign = self._cursor.peek()
        if sign in _MARKS:
            self._cursor.next()
            return _MARKS[sign]
        match sign:
            case "Z":
                self._cursor.next()
                return _LAST_UNIX_LINE if "d" in self._flags else _LAST_LINE
            case "b" | "B":
                self._cursor.next()
                return self._boundary(sign == "B")
            case "k":
                self._cursor.next()
                return self._named_reference()
        if sign and sign in "123456789":
            return self._reference()
        found = read_escape(self._cursor, self._flags)
        return found if isinstance(found, str) else self._literal(found)

    def _boundary(self, negated: bool) -> str:
        if self._cursor.take("{g}"):
            raise self._cursor.error(r"\b{g} cannot be translated", r"use \b or \X")
        word = f"[{UNICODE_WORD}]" if "U" in self._flags else _WORD
        if negated:
            return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
        return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"

    def _reference(self) -> str:
        """A numeric back reference, with as many digits as still refer to a group that has started."""
        number = int(self._cursor.next())
        while (sign := self._cursor.peek()) and sign in "0123456789":
            if number * 10 + int(sign) > self._groups:
                break
            number = number * 10 + int(self._cursor.next())
        return self._back_to(number)

    def _named_reference(self) -> str:
        if not self._cursor.take("<"):
            raise self._cursor.error(r"\k needs a name", r"as in \k<name>")
        name = self._cursor.until(">", "a group's name is not closed")
        if name not in self.names:
            raise self._cursor.error(f"there is no earlier group {name!r}", f"name one: (?<{name}>…)")
        return self._back_to(self.names[name])

    def _back_to(self, number: int) -> str:
        """A reference to a missing group never matches; one to an open group cannot be translated."""
        if number not in self._closed:
            self._ahead.append(number)
            return _NEVER
        return f"(?i:\\{number})" if "i" in self._flags else f"(?:\\{number})"

    def _literal(self, code: int) -> str:
        inside = code_set(code, code, self._flags)
        return inside if inside == char_text(code) else f"[{inside}]"

    def _any(self) -> str:
        if "s" in self._flags:
            return "(?s:.)"
        return r"[^\n]" if "d" in self._flags else f"[^{_ENDS[1:]}"

    def _line_start(self) -> str:
        if "m" not in self._flags:
            return r"\A"
        if "d" in self._flags:
            return r"(?:(?:\A|(?<=\n))(?!\Z))"
        return rf"(?:(?:\A|(?<={_ENDS}))(?!\Z)(?!(?<=\r)\n))"

    def _line_end(self) -> str:
        unix = "d" in self._flags
        if "m" not in self._flags:
            return _LAST_UNIX_LINE if unix else _LAST_LINE
        return r"(?:(?=\n|\Z))" if unix else rf"(?:(?={_ENDS}|\Z)(?!(?<=\r)\n))"

    def _peek(self) -> str:
        if "x" in self._flags:
            self._cursor.skip_comments("d" in self._flags)
        return self._cursor.peek()
