"""A world of records: pages with cards, outputs of every kind, and the rows that stand in them once."""

from __future__ import annotations

import csv
import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pyarrow.parquet as pq

CARDS = 6
SAME = 5
"""Number of pages in a row that have a card with the same key."""
DEFINITIONS = """\
# Packets of an invented seed shop, as records.
locatorGroups:
  shelf:
    locators:
{locators}
taskGroups:
  shelf:
    packets: {{ dataDef: packet, output: [ {outputs} ] }}
    kinds: {{ dataDef: kind, output: [ {keyed} ] }}
  detail:
    details: {{ dataDef: detail, output: [ {details} ] }}
dataDefs:
  packet:
    each: li
    meta: [ locator ]
    fields:
      name: a
      price: {{ select: b, type: decimal }}
      link: {{ select: "a @href", type: url, follow: detail }}
  detail:
    fields:
      name: {{ parent: name }}
      code: i
  kind:
    key: [ kind ]
    fields:
      kind: h1
"""


@dataclass(frozen=True, slots=True)
class RecordWorld:
    """Definitions in a folder, and what their runs give.

    Attributes:
        packets: the names that stand in each output once.
        kinds: the keys that stand in each output once.
        details: the names of packets that lead to a page of their own, whose record has that name once.
    """

    defs: Path
    packets: frozenset[str]
    kinds: frozenset[str]
    details: frozenset[str]

    def differences(self, found: Iterable[str], wanted: frozenset[str]) -> str:
        """What is lost and doubled; empty when each stands there once."""
        counted = Counter(found)
        lost, doubled = wanted - counted.keys(), {name for name, count in counted.items() if count > 1}
        strange = counted.keys() - wanted
        if not (lost or doubled or strange):
            return ""
        kinds = {"lost": lost, "doubled": doubled, "strange": strange}
        return ", ".join(f"{len(names)} {kind} {sorted(names)[:3]}" for kind, names in kinds.items() if names)


def build_records(folder: Path, pages: int, postgres_url: str = "", base_url: str = "") -> RecordWorld:
    """Write the pages, and the definitions with all outputs.

    Args:
        postgres_url: of a database; without it there is none.
        base_url: where a server has the pages; without it they are files.
    """
    (folder / "pages").mkdir(parents=True)
    locators, packets, kinds, details = [], set(), set(), set()
    for page in range(pages):
        names = [f"p{page}.{card}" for card in range(CARDS)]
        links = [f" href=d{page}.html", *[""] * (CARDS - 1)]
        cards = "".join(
            f"<li><a{link}>{name}</a><b>{page}.{card}0</b>"
            for card, (name, link) in enumerate(zip(names, links, strict=True))
        )
        (folder / "pages" / f"d{page}.html").write_text(f"<i>code {page}</i>")
        details.add(names[0])
        kind = f"kind {page // SAME}"
        (folder / "pages" / f"{page}.html").write_text(f"<h1>{kind}</h1><ul>{cards}</ul>")
        url = f"{base_url}/{page}.html" if base_url else f"{folder}/pages/{page}.html"
        locators.append(f'      - {{ name: s{page}, url: "{url}" }}')
        packets.update(names)
        kinds.add(kind)
    outputs = ["packets.csv", "packets.parquet", "packets.jsonl.zst", "'sqlite:shop.db#packets'"]
    keyed = ["kinds.csv", "'sqlite:shop.db#kinds'"]
    detailed = ["details.csv", "'sqlite:shop.db#details'"]
    if postgres_url:
        outputs.append(f"'{postgres_url}#packets'")
        keyed.append(f"'{postgres_url}#kinds'")
        detailed.append(f"'{postgres_url}#details'")
    text = DEFINITIONS.format(
        locators="\n".join(locators),
        outputs=", ".join(outputs),
        keyed=", ".join(keyed),
        details=", ".join(detailed),
    )
    (folder / "defs").mkdir()
    (folder / "defs" / "job.yml").write_text(text)
    return RecordWorld(folder / "defs", frozenset(packets), frozenset(kinds), frozenset(details))


def csv_values(files: Iterable[Path], column: str) -> list[str]:
    """A column of CSV files."""
    found: list[str] = []
    for file in files:
        with file.open(newline="") as opened:
            found += [row[column] for row in csv.DictReader(opened)]
    return found


def parquet_values(files: Iterable[Path], column: str) -> list[str]:
    """A column of Parquet files."""
    return [value for file in files for value in pq.read_table(file).column(column).to_pylist()]


def sqlite_values(files: Iterable[Path], table: str, column: str) -> list[str]:
    """A column of a table in SQLite files."""
    found: list[str] = []
    for file in files:
        connection = sqlite3.connect(file)
        found += [row[0] for row in connection.execute(f"SELECT {column} FROM {table}")]
        connection.close()
    return found


def postgres_values(url: str, table: str, column: str) -> list[str]:
    """A column of a table in PostgreSQL."""
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute(f"SELECT {column} FROM {table}".encode())]
