"""The pages of the benchmarks, and the definitions that read them."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

TABLE_ROWS, TABLE_COLUMNS = 27, 5
FACTS = 11
TABLES = """\
locatorGroups:
  company:
    locators:
{locators}
taskGroups:
  company:
    factTask: {{ dataDef: facts }}
    linkTask:
      dataDef: links
      steps: {{ jsoupDefault: {{ link: {{ class: LocatorCreator, previous: parser, next: seeder }} }} }}
  table:
    tableTask: {{ dataDef: figures }}
dataDefs:
  facts:
    query: {{ block: "#facts", selector: "tr:nth-child(%{{item.index}}) > td:nth-child(2)" }}
    items:
      - item: {{ name: label, indexRange: 1-11, selector: "tr:nth-child(%{{index}}) > td:nth-child(1)" }}
  links:
    query: {{ block: "#tables" }}
    items:
      - item: {{ name: table, indexRange: 1-2, linkGroup: table,
                 selector: "li:nth-child(%{{index}}) > a attribute: href" }}
  figures:
    query:
      block: "#figures"
      selector: "tr:nth-child(%{{item.index}}) > td:nth-child(%{{dim.year.index}})"
    items:
      - item: {{ name: line, indexRange: 2-28, selector: "tr:nth-child(%{{index}}) > td:nth-child(1)" }}
    dims:
      - item: {{ name: year, indexRange: 2-6, selector: "tr:nth-child(1) > td:nth-child(%{{index}})" }}
"""
_BOOK_PAGES = """\
locatorGroups:
  books:
    locators:
{locators}
taskGroups:
  books:
"""
BOOKS = (
    _BOOK_PAGES
    + """\
    bookTask: {{ dataDef: books }}
dataDefs:
  books:
    query:
      block: "ol.row"
      selector: "li:nth-child(%{{item.index}}) > div:nth-child(%{{dim.field.index}})"
    items: [ item: {{ name: number, indexRange: 1-20, selector: "li:nth-child(%{{index}}) > b" }} ]
    dims:
      - item: {{ name: field, indexRange: 2-6,
                 selector: "li:nth-child(1) > div:nth-child(%{{index}}) attribute: class" }}
"""
)
CARDS = (
    _BOOK_PAGES
    + """\
    bookTask: {{ dataDef: book, output: books.csv }}
dataDefs:
  book:
    each: "ol.row > li"
    fields: {{ number: b, title: .title, author: .author, price: .price, stock: .stock, rating: .rating }}
"""
)
LABELS = tuple(f"Fact {number}" for number in range(10))
LABELLED = (
    _BOOK_PAGES
    + """\
    labelTask: {{ dataDef: facts }}
dataDefs:
  facts:
    query: {{ block: "dl.facts", selector: "dt:contains(%{{item.match}}) + dd" }}
    items: [ {items} ]
    dims: [ item: {{ name: company, selector: "dt:contains(Company) + dd" }} ]
""".replace("{items}", ", ".join(f'item: {{{{ name: "{each}", match: "{each}" }}}}' for each in LABELS))
)
BOOK_ROWS = 20
BOOK_FIELDS = ("title", "author", "price", "stock", "rating")
BOOK_PAGE_BYTES = 48_000


@dataclass(frozen=True, slots=True)
class Workload:
    """What a run of it loads and gives.

    Attributes:
        pages: that are loaded in all.
        starts: paths of the pages that are named; the others are linked.
        rows: that come out in all.
        output: the file that they are in.
        name_lines: lines with names of columns at its beginning.
        files: that stand beside the definitions.
    """

    name: str
    definitions: str
    pages: int
    starts: tuple[str, ...]
    rows: int
    output: str = "data.txt"
    name_lines: int = 0
    files: tuple[Path, ...] = ()

    def first(self, pages: int) -> Workload:
        """The first part of it, of about `pages` pages."""
        each = self.pages // len(self.starts)
        count = min(len(self.starts), max(1, pages // each))
        rows = self.rows // len(self.starts) * count
        return replace(self, pages=each * count, starts=self.starts[:count], rows=rows)

    def repeated(self, pages: int) -> Workload:
        """About `pages` pages: the same ones again and again where there are not as many."""
        each = self.pages // len(self.starts)
        count = max(1, pages // each)
        known = len(self.starts)
        starts = [self.starts[at % known] + (f"?{at // known}" if at >= known else "") for at in range(count)]
        rows = self.rows // known * count
        return replace(self, pages=each * count, starts=tuple(starts), rows=rows)


def tables(folder: Path, companies: int) -> Workload:
    """One small page a company, with two links to table pages of 27 x 5 cells: 281 rows a company."""
    source = random.Random(7)
    starts = []
    for company in range(companies):
        (folder / f"c{company}.html").write_text(_company(company, source))
        for table in (1, 2):
            (folder / f"c{company}t{table}.html").write_text(_table(source))
        starts.append(f"/c{company}.html")
    rows = companies * (FACTS + 2 * TABLE_ROWS * TABLE_COLUMNS)
    return Workload("tables", TABLES, 3 * companies, tuple(starts), rows)


def books(folder: Path, pages: int) -> Workload:
    """List pages of 48 KB with 20 rows of 5 fields each."""
    source = random.Random(8)
    for page in range(pages):
        (folder / f"b{page}.html").write_text(_books(source))
    starts = tuple(f"/b{page}.html" for page in range(pages))
    return Workload("books", BOOKS, pages, starts, pages * BOOK_ROWS * len(BOOK_FIELDS))


def cards(folder: Path, pages: int) -> Workload:
    """The pages of books, read as records: one row a book, below a line of names."""
    starts = books(folder, pages).starts
    return Workload("cards", CARDS, pages, starts, pages * BOOK_ROWS, "books.csv", 1)


def labels(folder: Path, pages: int) -> Workload:
    """Pages of 1.4 KB with ten values beside their labels: a row each."""
    source = random.Random(9)
    for page in range(pages):
        (folder / f"l{page}.html").write_text(_labels(page, source))
    starts = tuple(f"/l{page}.html" for page in range(pages))
    return Workload("labels", LABELLED, pages, starts, pages * len(LABELS))


def write_definitions(workload: Workload, folder: Path, base_url: str) -> Path:
    """The definitions, with the server's addresses."""
    folder.mkdir(parents=True)
    group = "company" if workload.name == "tables" else "books"
    locators = "\n".join(
        f'      - {{ name: {group}{number}, url: "{base_url}{path}" }}'
        for number, path in enumerate(workload.starts)
    )
    (folder / "job.yml").write_text(workload.definitions.format(locators=locators))
    for file in workload.files:
        shutil.copy(file, folder)
    return folder


def _company(number: int, source: random.Random) -> str:
    facts = "".join(
        f"<tr><td>fact {fact}</td><td>{source.randrange(10**6)}</td></tr>" for fact in range(FACTS)
    )
    links = "".join(f'<li><a href="c{number}t{table}.html">table {table}</a></li>' for table in (1, 2))
    return (
        f"<!DOCTYPE html><html><head><title>Company {number}</title></head><body>"
        f'<h1>Company {number}</h1><table id="facts">{facts}</table>'
        f'<ul id="tables">{links}</ul></body></html>'
    )


def _table(source: random.Random) -> str:
    head = "".join(f"<td>{2020 + year}</td>" for year in range(TABLE_COLUMNS))
    lines = []
    for line in range(TABLE_ROWS):
        cells = "".join(f"<td>{source.randrange(10**7) / 100:.2f}</td>" for _ in range(TABLE_COLUMNS))
        lines.append(f'<tr class="line"><td>line {line}</td>{cells}</tr>')
    return (
        "<!DOCTYPE html><html><head><title>Figures</title></head><body><div><div>"
        f'<table id="figures"><tr><td>Year</td>{head}</tr>{"".join(lines)}</table>'
        "</div></div></body></html>"
    )


def _labels(number: int, source: random.Random) -> str:
    facts = "".join(
        f'<dt class="label">{label}</dt><dd class="value">{source.randrange(10**6)}</dd>' for label in LABELS
    )
    return (
        f"<!DOCTYPE html><html><head><title>Facts</title></head><body><h1>Facts</h1>"
        f'<dl class="facts"><dt>Company</dt><dd>Company {number}</dd>{facts}</dl>'
        f"<p>{'lorem ipsum ' * 40}</p></body></html>"
    )


def _books(source: random.Random) -> str:
    rows = []
    for row in range(BOOK_ROWS):
        fields = "".join(
            f'<div class="{field}"><!-- {field} -->{field} {source.randrange(10**6)}</div>'
            for field in BOOK_FIELDS
        )
        rows.append(f"<li><b>{row + 1}</b>{fields}{_filler(source)}</li>")
    text = "".join(rows)
    rest = "<p>" + "lorem ipsum dolor " * (max(0, BOOK_PAGE_BYTES - len(text) - 200) // 18) + "</p>"
    return (
        '<!DOCTYPE html><html><head><meta charset="utf-8"><title>Books</title></head><body>'
        f'<nav><a href="/">home</a></nav><ol class="row">{text}</ol>{rest}</body></html>'
    )


def _filler(source: random.Random) -> str:
    """The markup that real lists are full of: about 2 KB a row."""
    parts = []
    for _ in range(12):
        parts.append(
            f'<span class="tag t{source.randrange(50)}"><a href="/t/{source.randrange(10**5)}" '
            f'title="more of this kind">tag {source.randrange(1000)}</a><i class="icon small"></i></span>'
        )
    return f'<section class="more"><div class="tags">{"".join(parts)}</div></section>'
