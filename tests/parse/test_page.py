"""A page is parsed when first asked for, once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoopi.errors import ParseError
from scoopi.model.locator import Document, Locator
from scoopi.parse.tree import html, page
from scoopi.parse.tree.html import TreeLimits
from scoopi.parse.tree.page import Page

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def document(body: bytes, charset: str | None = None) -> Document:
    return Document(Locator("a", "b", "http://x/"), "http://x/final", NOW, charset, body)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The pages that were parsed."""
    seen: list[bytes] = []

    def watch(body: bytes, charset: str | None, *, limits: TreeLimits) -> object:
        seen.append(body)
        return html.parse_html(body, charset, limits=limits)

    monkeypatch.setattr(page, "parse_html", watch)
    return seen


def test_the_tree_is_made_when_first_asked_for_and_once(parsed: list[bytes]) -> None:
    held = Page(document(b"<p>x"), TreeLimits())
    assert parsed == []
    assert held.root is held.root
    assert held.root.tag == "html"
    assert parsed == [b"<p>x"]


def test_the_charset_of_the_header_counts() -> None:
    assert Page(document(b"<p>\xe9", "latin1"), TreeLimits()).root.findtext(".//p") == "é"


def test_a_page_beyond_the_limits_is_told_with_its_address_and_parsed_once(parsed: list[bytes]) -> None:
    held = Page(document(b"<p>" * 9), TreeLimits(max_bytes=8))
    for _ in range(2):
        with pytest.raises(ParseError, match=r"^http://x/final: the page has 27 bytes"):
            _ = held.root
    assert len(parsed) == 1
