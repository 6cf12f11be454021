"""Locator: a page that a run shall read."""

from __future__ import annotations

import msgspec


class Locator(msgspec.Struct, frozen=True):
    """Names a page: column 1 (name) and column 2 (group) of its rows, and its address as written."""

    name: str
    group: str
    url: str
