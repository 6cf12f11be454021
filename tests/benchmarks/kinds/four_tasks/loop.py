"""Four tasks on a page: its title, three labels, a table and 20 links."""

from __future__ import annotations

from tests.benchmarks.kinds.pages import Rows, figures, label_list, root_of


def page() -> str:
    """Its page."""
    items = "".join(f"<li><a href='/page/{at}.html'>page {at}</a></li>" for at in range(20))
    return figures(27, 5, rest=label_list("dt", "dd") + f"<ul class='links'>{items}</ul>")


def rows(page: bytes) -> Rows:
    """By hand."""
    root = root_of(page)
    found: Rows = [("title", root.find(".//h1").text)]
    known = {label.text: label.getnext().text for label in root.iter("dt")}
    found += [(label, known[label]) for label in ("Fact 0", "Fact 4", "Fact 9")]
    table = root.find(".//table[@id='figures']")
    head, *lines = table.iter("tr")
    years = [cell.text for cell in head][1:]
    for line in lines:
        name, *values = [cell.text for cell in line]
        found += [(name, year, value) for year, value in zip(years, values, strict=True)]
    found += [(link.get("href"), link.text) for link in root.find(".//ul[@class='links']").iter("a")]
    return found
