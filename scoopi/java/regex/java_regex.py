"""JavaPattern: a regular expression written for Java, run by the `regex` module with a time limit."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from scoopi.errors import ParseError
from scoopi.java.regex.regex_escapes import shown
from scoopi.java.regex.regex_translator import Translator

_REPLACEMENT = regex.compile(r"\\(?P<sign>.)|\$(?P<number>\d)|\$\{(?P<name>\w+)\}", regex.DOTALL)


class JavaPattern:
    """A compiled regular expression written for Java; every search has a time limit.

    Made by `compile_java`. Thread-safe.

    Attributes:
        pattern: the pattern as written.
    """

    def __init__(
        self, pattern: str, compiled: regex.Pattern[str], timeout_ms: int, names: Mapping[str, int]
    ) -> None:
        self.pattern = pattern
        self._compiled = compiled
        self._timeout_ms = timeout_ms
        self._numbers = names

    def search(self, text: str) -> bool:
        """Whether the pattern matches somewhere in the text (Java's `find`).

        Raises:
            ParseError: the time limit was exceeded.
        """
        try:
            return self._compiled.search(text, timeout=self._timeout_ms / 1000) is not None
        except TimeoutError:
            raise self._too_slow(text) from None

    def fullmatch(self, text: str) -> bool:
        """Whether the pattern matches the whole text (Java's `matches`); same errors as `search`."""
        try:
            return self._compiled.fullmatch(text, timeout=self._timeout_ms / 1000) is not None
        except TimeoutError:
            raise self._too_slow(text) from None

    def first(self, text: str) -> str | None:
        """The first group of the first match, or the whole match without groups; None if nothing matches.

        Raises:
            ParseError: as `search`.
        """
        try:
            found = self._compiled.search(text, timeout=self._timeout_ms / 1000)
        except TimeoutError:
            raise self._too_slow(text) from None
        if found is None:
            return None
        group: str | None = found[1] if self._compiled.groups else found[0]
        return group

    def replaced(self, text: str, replacement: str) -> str:
        """The text with each match replaced; `$1` and `${name}` stand for groups, a backslash escapes.

        Raises:
            ParseError: as `search`, or the replacement refers to a group that does not exist.
        """
        try:
            return self._compiled.sub(
                lambda found: self._filled(replacement, found), text, timeout=self._timeout_ms / 1000
            )
        except TimeoutError:
            raise self._too_slow(text) from None
        except IndexError:
            raise self._unknown_group(replacement) from None

    def ensure_replacement(self, replacement: str) -> None:
        """Check that a replacement refers only to groups of the pattern; raises ParseError."""
        for part in _REPLACEMENT.finditer(replacement):
            if part["sign"] is None and self._number(part) > self._compiled.groups:
                raise self._unknown_group(replacement)

    def _filled(self, replacement: str, found: regex.Match[str]) -> str:
        def text(part: regex.Match[str]) -> str:
            if part["sign"] is not None:
                return str(part["sign"])
            return str(found[self._number(part)] or "")

        return _REPLACEMENT.sub(text, replacement)

    def _number(self, part: regex.Match[str]) -> int:
        """The number of the group that a part of a replacement names; that of no group if there is none."""
        name = part["number"] or part["name"]
        return int(name) if name.isdigit() else self._numbers.get(name, self._compiled.groups + 1)

    def _unknown_group(self, replacement: str) -> ParseError:
        what = f"the replacement {replacement!r} names a group that {shown(self.pattern)} does not have"
        return ParseError(what, hint="write \\$ for a dollar sign")

    def _too_slow(self, text: str) -> ParseError:
        return ParseError(
            f"the regex {shown(self.pattern)} took longer than {self._timeout_ms} ms on a text of "
            f"{len(text)} characters",
            hint="write it without nested repetitions, or raise scoopi.regex.timeout",
        )


def compile_java(pattern: str, *, timeout_ms: int = 1000, flags: str = "") -> JavaPattern:
    """Translate and compile a pattern of java.util.regex.

    Args:
        pattern: a Java pattern, with embedded flags.
        timeout_ms: time limit of one search.
        flags: put before the pattern, as in `(?U)`; messages show the pattern without them.
    Raises:
        ParseError: the pattern is invalid or cannot be translated; names the character, with a hint.
    Source: defs/README.md, 3.4.
    """
    try:
        translator = Translator(flags + pattern)
        compiled = regex.compile(translator.translate(), regex.V1)
    except RecursionError:
        raise ParseError(
            f"the regex {shown(pattern)} nests too deeply", hint="write it with fewer groups in groups"
        ) from None
    except (regex.error, OverflowError, MemoryError) as error:
        raise ParseError(
            f"the regex {shown(pattern)} cannot be used: {error}", hint="write it in a simpler way"
        ) from None
    return JavaPattern(pattern, compiled, timeout_ms, translator.names)
