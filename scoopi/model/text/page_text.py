"""Texts of definitions that hold values of a page, each marked, so that it stays data wherever it stands.

>>> text = f"td:contains({marked('a) b')})"
>>> parts(text)
['td:contains(', 'a) b', ')']
>>> shown(text)
'td:contains(a) b)'
"""

from __future__ import annotations

MARK = "\0"
"""Stands before and behind a value: no tree of a page holds it, and texts of definitions lose it."""
_REPLACEMENT = "\ufffd"


def without_mark(text: str) -> str:
    """The text, certain to hold no mark."""
    return text.replace(MARK, _REPLACEMENT) if MARK in text else text


def marked(value: str) -> str:
    """A value of a page, for a text of the definitions."""
    return f"{MARK}{without_mark(value)}{MARK}"


def parts(text: str) -> list[str]:
    """The text in parts: from the definitions at even indexes, values of the page at odd ones."""
    return text.split(MARK)


def shown(text: str) -> str:
    """The text as messages show it."""
    return text.replace(MARK, "")
