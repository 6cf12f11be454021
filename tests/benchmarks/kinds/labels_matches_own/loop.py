"""Ten values beside labels, in a page of 1.7 KB: `div:matchesOwn(^LABEL) + div`."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import Rows, labels, labels_by_hand


def page() -> str:
    """Its page."""
    return labels("div", "div")


def rows(page: bytes) -> Rows:
    """By hand."""
    return labels_by_hand(page, "div")
