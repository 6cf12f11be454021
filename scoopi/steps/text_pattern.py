"""TextPattern: a pattern that matches its own text, or matches as a Java regular expression."""

from __future__ import annotations

import re
from collections.abc import Callable

from scoopi.errors import ParseError
from scoopi.model.place import Place

_LITERAL = re.compile(r"[\w ,;:'\"/%&!<>=@~-]*").fullmatch
"""Patterns that match only themselves, as most do: `-`, `Total` or the empty one."""


class TextPattern:
    """A pattern that matches whole texts: its own text, or as a Java regular expression.

    The expression is compiled when it is first needed.

    Args:
        pattern: as written in the definition.
        timeout_ms: timeout of one match, in milliseconds.
        place: place of the pattern, for errors.
        what: the key of the pattern, for errors.
    """

    def __init__(self, pattern: str, timeout_ms: int, place: Place, what: str = "filter") -> None:
        self._pattern = pattern
        self._timeout_ms = timeout_ms
        self._place = place
        self._what = what
        self._is_literal = _LITERAL(pattern) is not None
        self._fullmatch: Callable[[str], bool] | None = None

    def matches(self, text: str) -> bool:
        """Whether the text equals the pattern, or the pattern matches it as a whole.

        Raises:
            ParseError: the pattern is not a valid regular expression, or takes too long.
        """
        if text == self._pattern:
            return True
        if self._is_literal:
            return False
        try:
            if self._fullmatch is None:
                from scoopi.java.regex.java_regex import compile_java  # slow to import, and rarely needed

                self._fullmatch = compile_java(self._pattern, timeout_ms=self._timeout_ms).fullmatch
            return self._fullmatch(text)
        except ParseError as error:
            what = f"{self._what}: {error.what}"
            raise ParseError(what, at=str(self._place), hint=error.hint) from None
