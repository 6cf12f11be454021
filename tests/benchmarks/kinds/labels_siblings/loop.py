"""Ten values behind headings in sections of their own: `h4:matchesOwn(^LABEL) ~ p + p`."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import LABELS, Rows, root_of, sections


def page() -> str:
    """Its page."""
    return sections()


def rows(page: bytes) -> Rows:
    """By hand."""
    root = root_of(page)
    company = root.find(".//h1").text
    known = {heading.text: heading.getparent()[2].text for heading in root.iter("h4")}
    return [(label, company, known[label]) for label in LABELS]
