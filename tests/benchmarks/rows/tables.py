"""Tables: records into PostgreSQL and Parquet, compared with hand-written loops over the same pages.

By hand: `python -m tests.benchmarks.rows.tables [--records 1000000]`. Prints rows/s of the run and of the
loops, and the most memory of the parent at a quarter of the records and at all of them; the exit code is 1
when a run has less than half of the speed of its loop, or its memory grows. The loops read the same pages in
one process, and write batches of 10,000 rows by psycopg's `executemany` or pyarrow's `write_table`. Figures
of the writing alone, without pages, are printed beside them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from itertools import islice
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from lxml import html

from tests.outputs.postgres_server import PostgresServer

CARDS = 100
BATCH = 10_000
BAR, GROWTH_BYTES = 0.5, 60 << 20
ROOT = Path(__file__).resolve().parents[3]
INSERT = b"INSERT INTO hand (name, price, stock) VALUES (%s, %s, %s)"
SCHEMA = pa.schema([("name", pa.string()), ("price", pa.decimal128(38, 9)), ("stock", pa.int64())])
DEFINITIONS = """\
locatorGroups:
  page:
    locators:
{locators}
taskGroups:
  page: {{ cards: {{ dataDef: card, output: "{output}" }} }}
dataDefs:
  card:
    each: li
    fields:
      name: a
      price: {{ select: b, type: decimal }}
      stock: {{ select: i, type: integer }}
"""
PATHS = ("string(.//a)", "string(.//b)", "string(.//i)")
Row = tuple[str, str, int]


def build(folder: Path, pages: int) -> list[Path]:
    """Write pages of 100 cards."""
    folder.mkdir()
    files = []
    for page in range(pages):
        cards = (
            f"<li><a>packet {page}.{card}</a><b>{card}.50</b><i>{page % 97}</i>" for card in range(CARDS)
        )
        files.append(folder / f"{page}.html")
        files[-1].write_text(f"<!doctype html><title>{page}</title><ul>{''.join(cards)}</ul>")
    return files


def rows_of(files: list[Path]) -> Iterator[Row]:
    """What a hand-written scraper reads of the pages."""
    for file in files:
        for card in html.fromstring(file.read_bytes()).iter("li"):
            name, price, stock = (str(card.xpath(path)) for path in PATHS)
            yield name, price, int(stock)


def into_postgres(url: str, rows: Iterator[Row]) -> None:
    """A hand-written `executemany` loop."""
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS hand (name TEXT, price NUMERIC, stock BIGINT)")
        cursor.execute("TRUNCATE hand")
        while batch := list(islice(rows, BATCH)):
            cursor.executemany(INSERT, batch)
            connection.commit()


def into_parquet(file: Path, rows: Iterator[Row]) -> None:
    """A hand-written pyarrow loop."""
    with pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
        while batch := list(islice(rows, BATCH)):
            names, prices, stocks = zip(*batch, strict=True)
            columns = [list(names), list(map(Decimal, prices)), list(stocks)]
            writer.write_table(pa.table(columns, schema=SCHEMA))


def run(folder: Path, files: list[Path], output: str) -> tuple[float, int]:
    """A run of Scoopi over the pages: its seconds, and the most memory of its parent in bytes."""
    folder.mkdir()
    lines = (f'      - {{ name: "{file.stem}", url: "{file}" }}' for file in files)
    (folder / "defs.yml").write_text(DEFINITIONS.format(locators="\n".join(lines), output=output))
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "scoopi", "run", "defs.yml", "--quiet", "--workers", "2"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    peak = 0
    while process.poll() is None:
        peak = max(peak, _peak_bytes(process.pid))
        time.sleep(0.1)
    assert process.returncode == 0, process.returncode
    return time.monotonic() - began, peak


def _peak_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")), 0)


def timed(call: Callable[[], object]) -> float:
    """Its seconds."""
    began = time.monotonic()
    call()
    return time.monotonic() - began


def main() -> int:
    """Measure; 0 when both bars are kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.rows.tables", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    given = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory() as temporary, PostgresServer() as server:
        base, url = Path(temporary), server.database("tables")
        files = build(base / "pages", given.records // CARDS)
        hand: dict[str, Callable[[Iterator[Row]], None]] = {
            "postgresql": partial(into_postgres, url),
            "parquet": partial(into_parquet, base / "hand.parquet"),
        }
        targets = {"postgresql": f"{url}#cards", "parquet": "cards.parquet"}
        for name, write in hand.items():
            ready = list(rows_of(files))
            alone_s = timed(partial(write, iter(ready)))
            del ready
            hand_s = timed(partial(write, rows_of(files)))
            _, quarter = run(base / f"{name}-quarter", files[: len(files) // 4], targets[name])
            run_s, peak = run(base / name, files, targets[name])
            ratio = hand_s / run_s
            kept = kept and ratio >= BAR and peak - quarter < GROWTH_BYTES
            print(
                f"{name:<10} run {given.records / run_s:9,.0f} rows/s, by hand with pages "
                f"{given.records / hand_s:9,.0f} ({ratio:.2f} of it), inserts alone "
                f"{given.records / alone_s:9,.0f} ({alone_s / run_s:.2f}); parent at most "
                f"{quarter >> 20} MiB for a quarter, {peak >> 20} MiB for all",
                flush=True,
            )
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
