"""A table of 30 labels and values."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import Rows, document, root_of


def page() -> str:
    """Its page."""
    lines = "".join(f"<tr><th>Fact {at}</th><td>{at * 977} units</td></tr>" for at in range(30))
    return document(f"<table class='facts'><caption>Company</caption>{lines}</table>")


def rows(page: bytes) -> Rows:
    """By hand."""
    table = root_of(page).find(".//table[@class='facts']")
    caption = table.find("caption").text
    return [(line[0].text, caption, line[1].text) for line in table.iter("tr")]
