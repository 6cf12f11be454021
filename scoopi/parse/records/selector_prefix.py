"""longest_prefix: the longest part, from the start, of a selector that still finds something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scoopi.errors import ParseError

CountMatches = Callable[[str], int]
"""Selector -> number of elements that it finds. Raises ParseError for an incomplete selector."""

_OPEN, _CLOSE = "([", ")]"
_CSS_CUTS = " >+~.#[:"
_PATH_CUTS = "/[."


def longest_prefix(selector: str, matches: CountMatches, *, is_css: bool) -> tuple[str, int]:
    """The longest prefix of a selector that finds anything, and the number of elements that it finds.

    >>> longest_prefix("div.card > b.price", {"div.card": 2, "div": 3}.get, is_css=True)
    ('div.card', 2)

    Returns:
        An empty text and 0 if no prefix matches.
    """
    for end in reversed(_cuts(selector, _CSS_CUTS if is_css else _PATH_CUTS)):
        prefix = selector[:end].rstrip(" >+~/")
        if not prefix:
            continue
        try:
            count = matches(prefix)
        except ParseError:
            continue
        if count:
            return prefix, count
    return "", 0


def _cuts(selector: str, signs: str) -> Sequence[int]:
    """Where a prefix can end: before one of `signs` that is outside brackets and quotes."""
    cuts, depth, quote = [], 0, ""
    for at, sign in enumerate(selector):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        else:
            if depth == 0 and sign in signs and at:
                cuts.append(at)
            depth += (sign in _OPEN) - (sign in _CLOSE)
    return cuts


def counted_in(
    contexts: Sequence[Any], compile_find: Callable[[str], Callable[[Any], Sequence[Any]]]
) -> CountMatches:
    """Make a function that counts the matches of a selector in all of `contexts`: elements or JSON values.

    Args:
        compile_find: selector -> a function that finds its matches in one of them.
    """

    def matches(selector: str) -> int:
        find = compile_find(selector)
        return sum(len(find(context)) for context in contexts)

    return matches
