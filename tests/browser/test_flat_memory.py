"""Browsers stay small; the long form is `python -m tests.browser.flat_memory --pages 300`."""

from __future__ import annotations

from tests.browser.flat_memory import measure


def test_a_browser_does_not_keep_what_its_pages_keep() -> None:
    figures = measure(6)
    assert figures.growth < 80, "of the 120 MB that three pages keep"
