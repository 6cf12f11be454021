"""BoundText: a selector in which placeholder letters replace values of the page during parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.text.page_text import MARK, parts

_STAND_INS = range(0xA000, 0xA48D)
"""Yi letters: the parser takes them as letters, they have no case, and selectors hardly ever contain them."""
_IN_A_PATTERN = re.compile(r"\\Q|\\E|\\.|.", re.DOTALL)
_SIGNS = re.compile(r"([\\^$.|?*+()\[\]{}&~#\-\s])", re.ASCII)


class BoundText(NamedTuple):
    """A selector in which placeholder letters replace values of the page during parsing.

    Attributes:
        values: letter -> value.
    """

    text: str
    values: Mapping[str, str]

    @classmethod
    def of(cls, selector: str) -> BoundText:
        """Replace the marked values of a selector (see `model/text/page_text.py`) by letters.

        Raises:
            ParseError: it has more values than there are letters.
        """
        if MARK not in selector:
            return cls(selector, {})
        pieces = parts(selector)
        free = [letter for letter in map(chr, _STAND_INS) if letter not in selector]
        if len(free) < len(pieces) // 2:
            raise ParseError(
                f"a selector holds {len(pieces) // 2} values", hint="write it with fewer placeholders"
            )
        values = dict(zip(free, pieces[1::2], strict=False))
        pieces[1::2] = values
        return cls("".join(pieces), values)


def bound(text: str, values: Mapping[str, str]) -> str:
    """`text` with the values in place of the letters; `values` as in BoundText."""
    return "".join(values.get(letter, letter) for letter in text) if values else text


def bound_pattern(pattern: str, values: Mapping[str, str]) -> str:
    r"""A regular expression with the values inserted as literal text, also between `\Q` and `\E`.

    >>> bound_pattern(r"^ꀀ: \Qꀀ\E$", {"ꀀ": "1.5"})
    '^1\\.5: \\Q1.5\\E$'
    """
    if not values:
        return pattern
    written, is_literal = "", False
    for found in _IN_A_PATTERN.finditer(pattern):
        sign = found[0]
        if sign in (r"\Q", r"\E"):
            is_literal = sign == r"\Q"
        value = values.get(sign)
        if value is None:
            written += sign
        elif is_literal:
            written += value.replace(r"\E", r"\E\\E\Q")
        else:
            written += _SIGNS.sub(r"\\\1", value)
    return written
