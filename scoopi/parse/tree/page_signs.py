"""instead_of_content: recognizes pages without content: login forms, empty script shells, error pages."""

from __future__ import annotations

import re

from scoopi.model.text.shown import cut, shown
from scoopi.parse.element import Element

LEAST_TEXT = 100
"""A page with scripts and fewer characters of text is assumed to be rendered by them."""
LEAST_TEXT_BESIDE_LOGIN = 500
"""A page with a login form and more text is one on which visitors may also log in."""
LONGEST_QUOTE = 100

_REFRESH = re.compile(r"\s*[0-9.]*\s*[;,]?\s*url\s*=", re.IGNORECASE)
_NOT_FOUND = re.compile(
    r"\b(?:page|site|file|url|article|item|content)s?\W+(?:\w+\W+){0,3}not (?:be )?found\b"
    r"|\bnot found\W*$|^\W*(?:error )?404\b",
    re.IGNORECASE,
)
_UNSEEN = frozenset(("script", "style", "noscript", "template"))


def instead_of_content(root: Element, in_browser: bool = False) -> str | None:
    """What the page has instead of content, as a message; None if it looks like an ordinary page.

    Args:
        in_browser: whether a browser has run the page's scripts.
    """
    heading = _not_found_heading(root)
    if heading:
        return f"the page says {heading!r} with status 200"
    length, holder = _seen(root)
    if length < LEAST_TEXT_BESIDE_LOGIN and root.find(".//input[@type='password']") is not None:
        return "the page is a login form"
    if length >= LEAST_TEXT:
        return None
    if _is_refreshed(root):
        return "the page only refreshes to another address: make that address the locator"
    if next(root.iter("script"), None) is None:
        return None
    holds = f"scripts and an empty {holder}" if holder and not length else "scripts and hardly any text"
    if not in_browser:
        return f"the body holds {holds}: the site renders in the browser"
    if next(root.iter("iframe"), None) is not None:
        return f"the body holds {holds}: add `frames: true` to `browser` to read its frames"
    return f"the body held {holds} when it was read: name what to wait for by `until` of `browser`"


def _is_refreshed(root: Element) -> bool:
    """Whether a `meta` refresh leads to another address."""
    return any(
        (meta.get("http-equiv") or "").lower() == "refresh" and _REFRESH.match(meta.get("content") or "")
        for meta in root.iter("meta")
    )


def _not_found_heading(root: Element) -> str:
    """The heading or title that reports a missing page; empty if there is none."""
    for tag in ("h1", "h2", "title"):
        for element in root.iter(tag):
            text = " ".join("".join(map(str, element.itertext())).split())
            if _NOT_FOUND.search(text):
                return cut(shown(text), LONGEST_QUOTE)
    return ""


def _seen(root: Element) -> tuple[int, str]:
    """Length of the body's text, counted up to the largest limit, and the tag of the first empty element."""
    length, left = 0, list(root.iterchildren("body"))
    holder = ""
    while left and length < LEAST_TEXT_BESIDE_LOGIN:
        element = left.pop()
        if element.tag in _UNSEEN or not isinstance(element.tag, str):
            continue
        if not holder and element.tag != "body" and not len(element):
            holder = element.tag
        length += len((element.text or "").strip())
        for child in element:
            length += len((child.tail or "").strip())
            left.append(child)
    return length, holder
