"""*books* as records beside *books* as a grid, and ItemLoaders of Scrapy where it is installed; prints lines.

`python -m tests.benchmarks.rows.records [--repeat 30]`: the rows of one page in memory, its parsing included;
medians of processor time, in turn. The exit code is 1 when values differ, or records are slower.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scoopi import extract
from tests.benchmarks.rows.extract import in_turn
from tests.benchmarks.workloads import BOOK_FIELDS, books, write_definitions

URL = "http://127.0.0.1/b0.html"
RECORDS = """\
locatorGroups: { books: "http://127.0.0.1/b0.html" }
taskGroups: { books: { books: { dataDef: book, output: books.csv } } }
dataDefs:
  book:
    each: "ol.row > li"
    fields: { number: b, title: .title, author: .author, price: .price, stock: .stock, rating: .rating }
"""


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.rows.records", description=__doc__)
    parser.add_argument("--repeat", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        grid = write_definitions(books(Path(folder), 1), Path(folder) / "defs", "http://127.0.0.1")
        page = (Path(folder) / "b0.html").read_bytes()
        records = Path(folder) / "records.yml"
        records.write_text(RECORDS)
        same = of_records(records, page) == of_grid(grid, page)
        ours, theirs = in_turn(
            lambda: extract(records, page, URL), lambda: extract(grid, page, URL), options.repeat, 50
        )
        print(
            f"records {ours:.0f} us, grid {theirs:.0f} us, ratio {ours / theirs:.2f} of {len(page)} bytes; "
            f"values {'equal' if same else 'DIFFER'}"
        )
        for name, peer in peers(page).items():
            taken, _ = in_turn(peer, lambda: None, max(3, options.repeat // 5), 10)
            print(f"{name} {taken:.0f} us, {taken / ours:.1f} times as long")
    return 0 if same and ours <= theirs else 1


def of_records(defs: Path, page: bytes) -> list[list[str]]:
    """The values of each book."""
    return [
        [record["number"], *(record[name] for name in BOOK_FIELDS)] for record in extract(defs, page, URL)
    ]


def of_grid(defs: Path, page: bytes) -> list[list[str]]:
    """The same from the rows of the grid, one for each field of a book."""
    rows = extract(defs, page, URL)
    each = len(BOOK_FIELDS)
    return [[rows[at][2], *(row[-1] for row in rows[at : at + each])] for at in range(0, len(rows), each)]


def peers(page: bytes) -> dict[str, Callable[[], Any]]:
    """What Scrapy's users write, on the same page."""
    if find_spec("parsel") is None:
        return {}
    from parsel import Selector

    def plain() -> list[dict[str, str | None]]:
        cards = Selector(body=page, encoding="utf-8").css("ol.row > li")
        return [{name: card.css(f".{name}::text").get() for name in BOOK_FIELDS} for card in cards]

    found: dict[str, Callable[[], Any]] = {"parsel": plain}
    if find_spec("itemloaders") is not None:
        from itemloaders import ItemLoader
        from itemloaders.processors import TakeFirst

        def loaded() -> list[Any]:
            items = []
            for card in Selector(body=page, encoding="utf-8").css("ol.row > li"):
                loader = ItemLoader(item={}, selector=card)
                loader.default_output_processor = TakeFirst()
                for name in BOOK_FIELDS:
                    loader.add_css(name, f".{name}::text")
                items.append(loader.load_item())
            return items

        found["parsel with ItemLoader"] = loaded
    return found


if __name__ == "__main__":
    random.seed(8)
    sys.exit(main())
