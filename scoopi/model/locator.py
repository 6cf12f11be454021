"""Locator and Link: a page that a run reads, and one that a page links to."""

from __future__ import annotations

import msgspec


class Locator(msgspec.Struct, frozen=True):
    """Names a page: column 1 (name) and column 2 (group) of its rows, and its address as written."""

    name: str
    group: str
    url: str


class Link(msgspec.Struct, frozen=True):
    """Requests a child job; `url` is absolute, or an address as written.

    Attributes:
        once: follow it once per defined locator, however many pages link to it.
    """

    group: str
    url: str
    once: bool = False
