"""script_text: writes values of the page into a script as JavaScript literals, never as code."""

from __future__ import annotations

import re
from functools import lru_cache

from scoopi.model.text.page_text import MARK, parts, without_mark

_CODE = re.compile(
    r"(?P<opens>//|/\*|['\"`/])|(?P<word>[\w$]+)|(?P<gap>\s+)|(?P<step>\+\+|--)|(?P<sign>.)", re.DOTALL
)
_ENDS = {
    "'": re.compile(r"\\.|['\n]", re.DOTALL),
    '"': re.compile(r'\\.|["\n]', re.DOTALL),
    "`": re.compile(r"\\.|`|\$\{", re.DOTALL),
    "/": re.compile(r"\\.|[/\[\n]", re.DOTALL),
    "[": re.compile(r"\\.|[\]\n]", re.DOTALL),
    "//": re.compile("\n"),
    "/*": re.compile(r"\*/"),
}
"""What ends or interrupts a string, a template, a regular expression, a class in one, or a comment."""
_BEFORE_A_VALUE = frozenset(
    ("return", "typeof", "case", "in", "of", "delete", "void", "instanceof", "new", "throw", "do", "else")
)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")


def script_text(text: str) -> str:
    r"""Replace the marked values of a script: inside quotes by their characters, in code by a literal.

    A character that could end a string is escaped in a form that strings, templates and regular expressions
    all read as the same character, so that no value can escape from its quotes.

    >>> from scoopi.model.text.page_text import marked
    >>> script_text(f"'{marked('De' + chr(39) + 'Longhi')}'.trim()")
    "'De\\u0027Longhi'.trim()"
    >>> script_text(f"f({marked('a b')}, {marked('12.5')})")
    'f("a b", 12.5)'

    Args:
        text: the script as returned by `PlaceholderTemplate.render`.
    """
    if MARK not in text:
        return text
    pieces = parts(text)
    if len(pieces) % 2 == 0:
        return without_mark(text)  # not from a PlaceholderTemplate
    quoted = _quoted(tuple(pieces[::2]))
    for at in range(1, len(pieces), 2):
        pieces[at] = _letters(pieces[at]) if quoted[at // 2] else _literal(pieces[at], pieces[at + 1])
    return "".join(pieces)


def _literal(value: str, behind: str) -> str:
    """The literal of a value in code: a number if it reads as one and no member follows; else a string."""
    if _NUMBER.fullmatch(value) and not behind.lstrip().startswith((".", "[", "?.")):
        return f" {value}" if value.startswith("-") else value
    return f'"{_letters(value)}"'


def _letters(value: str) -> str:
    return "".join(letter if letter.isalnum() or letter in " _" else _escape(letter) for letter in value)


def _escape(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


@lru_cache(256)
def _quoted(written: tuple[str, ...]) -> tuple[bool, ...]:
    """For each gap between the parts of a script, whether it is inside quotes or a comment."""
    reader = _Reader()
    quoted = []
    for part in written:
        reader.read(part)
        quoted.append(reader.mode in _ENDS)
        reader.has_operand = True  # the value, if it is in code
    return tuple(quoted)


class _Reader:
    """Keeps track of open quotes. A slash after an operand is a division."""

    def __init__(self) -> None:
        self._modes = ["code"]
        self.has_operand = False

    @property
    def mode(self) -> str:
        return self._modes[-1]

    def read(self, part: str) -> None:
        """Read the next part of the script."""
        at = 0
        while at < len(part):
            ends = _ENDS.get(self.mode)
            found = ends.search(part, at) if ends else _CODE.match(part, at)
            if found is None:
                return
            if ends:
                self._in_quotes(found[0])
            else:
                self._in_code(found)
            at = found.end()

    def _in_quotes(self, sign: str) -> None:
        if sign.startswith("\\"):
            return
        if (self.mode, sign) in (("`", "${"), ("/", "[")):
            self._modes.append(sign)
            self.has_operand = False
            return
        if self._modes.pop() in ("'", '"', "`", "/"):
            self.has_operand = True

    def _in_code(self, found: re.Match[str]) -> None:
        sign = found[0]
        if found["opens"]:
            if sign != "/" or not self.has_operand:
                self._modes.append(sign)
            else:
                self.has_operand = False
        elif found["word"]:
            self.has_operand = sign not in _BEFORE_A_VALUE
        elif found["sign"]:
            self.has_operand = sign in ")]"
            if sign == "{":
                self._modes.append("{")
            elif sign == "}" and len(self._modes) > 1:
                self._modes.pop()
