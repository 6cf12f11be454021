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
    """Return the text without marks."""
    return text.replace(MARK, _REPLACEMENT) if MARK in text else text


def marked(value: str) -> str:
    """Return a value of a page with its marks, to be filled into a text of the definitions."""
    return f"{MARK}{without_mark(value)}{MARK}"


def parts(text: str) -> list[str]:
    """Split the text: parts of the definitions are at even indexes, values of the page at odd ones."""
    return text.split(MARK)


def shown(text: str) -> str:
    """Return the text without marks, as messages show it."""
    return text.replace(MARK, "")
