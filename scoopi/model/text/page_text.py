"""Texts of definitions that contain values of a page, marked so that a value is never taken for syntax.

>>> text = f"td:contains({marked('a) b')})"
>>> parts(text)
['td:contains(', 'a) b', ')']
>>> shown(text)
'td:contains(a) b)'
"""

from __future__ import annotations

MARK = "\0"
"""Precedes and follows each value; it cannot occur in a parsed page, nor in a text of the definitions."""
_REPLACEMENT = "\ufffd"


def without_mark(text: str) -> str:
    """The text without marks."""
    return text.replace(MARK, _REPLACEMENT) if MARK in text else text


def marked(value: str) -> str:
    """A value of a page with its marks, to be filled into a text of the definitions."""
    return f"{MARK}{without_mark(value)}{MARK}"


def parts(text: str) -> list[str]:
    """The parts of the text: those of the definitions at even indexes, values of the page at odd ones."""
    return text.split(MARK)


def shown(text: str) -> str:
    """The text without marks, as messages show it."""
    return text.replace(MARK, "")
