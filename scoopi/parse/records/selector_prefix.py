"""longest_prefix: how much of a selector that finds nothing still matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scoopi.errors import ParseError

CountMatches = Callable[[str], int]
"""A selector -> how many elements it finds. Raises ParseError for one that is not complete."""

_OPEN, _CLOSE = "([", ")]"
_CSS_CUTS = " >+~.#[:"
_PATH_CUTS = "/[."


def longest_prefix(selector: str, matches: CountMatches, *, is_css: bool) -> tuple[str, int]:
    """The longest beginning of a selector that finds anything, and how many elements that are.

    >>> longest_prefix("div.card > b.price", {"div.card": 2, "div": 3}.get, is_css=True)
    ('div.card', 2)

    Returns:
        An empty text and 0 when nothing of it matches.
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
    """Where a selector can end: before a sign that is not inside brackets or quotes."""
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
    """Counts what a selector finds in all of these elements, or values."""

    def matches(selector: str) -> int:
        find = compile_find(selector)
        return sum(len(find(context)) for context in contexts)

    return matches
