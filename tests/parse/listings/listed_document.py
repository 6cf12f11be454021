"""Documents as a site sends them, for the tests of sitemaps and feeds."""

from __future__ import annotations

from datetime import UTC, datetime

from scoopi.model.locator import Document, Locator

URL = "https://shop.example/list"


def document(body: str | bytes, charset: str | None = None, content_type: str = "") -> Document:
    """A page with this body."""
    content = body if isinstance(body, bytes) else body.encode()
    now = datetime(2026, 3, 2, tzinfo=UTC)
    return Document(Locator("a", "b", URL), URL, now, charset, content, content_type=content_type)
