"""20 cards in 48 KB, each a block of its own."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import Rows, cards, cards_by_hand


def page() -> str:
    """Its page."""
    return cards(20)


def rows(page: bytes) -> Rows:
    """By hand."""
    return cards_by_hand(page)
