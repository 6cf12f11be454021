"""What the pages of several kinds are made of; the same at each call."""

from __future__ import annotations

import random
from typing import Any

from lxml import html

Rows = list[tuple[str | None, ...]]
"""The values of each row, without its locator and group."""
LABELS = [f"Fact {number}" for number in range(10)]


def root_of(page: bytes) -> Any:
    """The page's root element, as one begins by hand."""
    return html.fromstring(page)


def document(body: str) -> str:
    """A page of this content."""
    head = "<meta charset='utf-8'><title>Page</title>"
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"


def figures(
    lines: int, columns: int, *, head: str = "{}", last: str = "", depth: int = 2, rest: str = ""
) -> str:
    """A page with a table.

    Args:
        head: the text of a column's head, with a place for its year.
        last: a line of this name ends the table, if it is not empty.
        depth: how many elements the table is inside of.
        rest: what follows it.
    """
    source = random.Random(7)
    names = [f"line {line}" for line in range(lines)] + ([last] if last else [])
    years = "".join(f"<td>{head.format(2020 + year)}</td>" for year in range(columns))
    body = []
    for name in names:
        cells = "".join(f"<td>{source.randrange(10**7) / 100:.2f}</td>" for _ in range(columns))
        body.append(f'<tr class="line"><td>{name}</td>{cells}</tr>')
    table = f'<table id="figures"><tbody><tr><td>Year</td>{years}</tr>{"".join(body)}</tbody></table>'
    return document(f"<h1>Company</h1>{'<div>' * depth}{table}{'</div>' * depth}{rest}")


def figure_rows(page: bytes) -> Rows:
    """The rows of a page of `figures`, read by hand."""
    table = root_of(page).find(".//table[@id='figures']")
    head, *lines = table.iter("tr")
    years = [cell.text for cell in head][1:]
    found: Rows = []
    for line in lines:
        name, *values = [cell.text for cell in line]
        found += [(name, year, value) for year, value in zip(years, values, strict=True)]
    return found


def label_list(label: str, value: str) -> str:
    """Ten labels, each before its value."""
    pairs = "".join(
        f"<{label} class='label'>{name}</{label}><{value} class='value'>value of {name}</{value}>"
        for name in LABELS
    )
    return f"<div id='facts'>{pairs}</div>"


def labels(label: str, value: str) -> str:
    """A page of 1.7 KB with ten labels."""
    return document(f"<h1>Company</h1>{label_list(label, value)}<p>{'lorem ipsum ' * 40}</p>")


def labels_by_hand(page: bytes, label: str) -> Rows:
    """The rows of `labels`, by hand."""
    root = root_of(page)
    company = root.find(".//h1").text
    known = {each.text: each.getnext() for each in root.find(".//div[@id='facts']").iter(label)}
    return [(name, company, known[name].text) for name in LABELS]


def sections() -> str:
    """A page of ten sections, in each a heading and two paragraphs."""
    parts = "".join(
        f"<section><h4>{name}</h4><p>about</p><p>value of {name}</p></section>" for name in LABELS
    )
    return document(f"<div id='facts'><h1>Company</h1>{parts}</div>")


def filler(size: int) -> str:
    """About `size` bytes of markup that real lists are full of."""
    source = random.Random(9)
    parts, made = [], 0
    while made < size:
        parts.append(
            f'<span class="tag t{source.randrange(50)}"><a href="/t/{source.randrange(10**5)}" '
            f'title="more of this kind">tag {source.randrange(1000)}</a><i class="icon small"></i></span>'
        )
        made += len(parts[-1])
    return f"<div class='tags'>{''.join(parts)}</div>"


def cards(count: int) -> str:
    """A list page of 2.4 KB a card."""
    source = random.Random(8)
    made = "".join(
        f"<li><article class='card'><h3><a href='/b/{at}' title='Title {at}'>Title…</a></h3>"
        f"<p class='author'>Author {source.randrange(999)}</p><p class='price'>£{source.randrange(99)}.99</p>"
        f"<p class='stock'>In stock ({source.randrange(30)})</p><p class='rating Three'></p>{filler(2100)}"
        "</article></li>"
        for at in range(count)
    )
    return document(f"<nav><a href='/'>home</a></nav><ol class='row'>{made}</ol>")


def cards_by_hand(page: bytes) -> Rows:
    """The rows of `cards`, by hand."""
    found: Rows = []
    for card in root_of(page).find(".//ol[@class='row']").iter("article"):
        by_class = {each.get("class"): each for each in card.iterchildren("p")}
        title = card.find("h3/a").get("title")
        author, stock, price = (by_class[name].text for name in ("author", "stock", "price"))
        found.append((title, author, stock, "rating Three" if "rating Three" in by_class else None, price))
    return found
