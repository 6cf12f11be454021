"""A list of 100 links."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import Rows, document, root_of


def page() -> str:
    """Its page."""
    items = "".join(f"<li class='entry'><a href='/page/{at}.html'>page {at}</a></li>" for at in range(100))
    return document(f"<ul class='links'>{items}</ul>")


def rows(page: bytes) -> Rows:
    """By hand."""
    return [(link.get("href"), link.text) for link in root_of(page).find(".//ul[@class='links']").iter("a")]
