"""Link: a further page that a page names."""

from __future__ import annotations

import msgspec


class Link(msgspec.Struct, frozen=True):
    """Asks for a child job; `url` is absolute or an address as written (language, A7)."""

    group: str
    url: str
    once: bool = False
