"""Many records into PostgreSQL and Parquet, beside a loop by hand over lxml, executemany and pyarrow.

`python -m tests.benchmarks.rows.many_records [--pages 5000]`: 200 records a page, page work included. Prints
wall time, processor time and, of Scoopi, the memory of all its processes in tenths of the run.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psycopg

from tests.outputs.postgres_server import PostgresServer

CARDS = 200
DEFINITIONS = """\
locatorGroups: {{ page: [ {urls} ] }}
taskGroups: {{ page: {{ books: {{ dataDef: book, output: [ "{url}#books", books.parquet ] }} }} }}
dataDefs:
  book:
    each: li
    fields: {{ title: b, price: {{ select: i, type: decimal }}, link: "a @href" }}
"""
LOOP = """\
import sys
from decimal import Decimal
import lxml.html, psycopg, pyarrow, pyarrow.parquet

url, pages = sys.argv[1], int(sys.argv[2])
writer = None
with psycopg.connect(url) as connection:
    connection.execute("CREATE TABLE by_hand (title TEXT, price NUMERIC, link TEXT)")
    for page in range(pages):
        root = lxml.html.parse(f"pages/{page}.html").getroot()
        cards = [(li.findtext("b"), li.findtext("i"), li.find("a").get("href")) for li in root.iter("li")]
        rows = [(title, Decimal(price), link) for title, price, link in cards]
        connection.cursor().executemany("INSERT INTO by_hand VALUES (%s, %s, %s)", rows)
        titles, prices, links = zip(*rows)
        columns = [titles, pyarrow.array(prices, pyarrow.decimal128(38, 9)), links]
        table = pyarrow.table(columns, names=["title", "price", "link"])
        writer = writer or pyarrow.parquet.ParquetWriter("by_hand.parquet", table.schema)
        writer.write_table(table)
writer.close()
"""


class Measured:
    """A command that runs to its end.

    Attributes:
        wall_s: its time; `cpu_s` the processor time of all its processes.
        memory_mb: of all its processes, in tenths of the run.
    """

    def __init__(self, command: list[str], folder: Path) -> None:
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        process = subprocess.Popen(command, cwd=folder)
        samples = [0.0]
        while process.poll() is None:
            samples.append(sum(map(_memory_mb, _tree(process.pid))))
            time.sleep(0.2)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.wall_s = time.monotonic() - begun
        self.cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.memory_mb = [round(samples[at * (len(samples) - 1) // 10]) for at in range(1, 11)]
        self.code = process.returncode


def measure(folder: Path, pages: int, server: PostgresServer) -> tuple[Measured, Measured]:
    """Scoopi and the loop; both have written each record once."""
    (folder / "pages").mkdir()
    for page in range(pages):
        cards = (
            f"<li><b>book {page}.{n}</b><i>{n}.50</i><a href=/{page}/{n}>x</a></li>" for n in range(CARDS)
        )
        (folder / "pages" / f"{page}.html").write_text(f"<ul>{''.join(cards)}</ul>")
    url = server.database("many_records")
    urls = ", ".join(f'"pages/{page}.html"' for page in range(pages))
    (folder / "books.yml").write_text(DEFINITIONS.format(urls=urls, url=url))
    ours = Measured([sys.executable, "-m", "scoopi", "run", "books.yml", "--quiet"], folder)
    theirs = Measured([sys.executable, "-c", LOOP, url, str(pages)], folder)
    for table in ("books", "by_hand"):
        with psycopg.connect(url) as connection:
            query = f"SELECT count(*), count(DISTINCT title) FROM {table}"
            counts = connection.execute(query.encode()).fetchone()
        assert counts == (pages * CARDS, pages * CARDS), (table, counts)
    return ours, theirs


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.rows.many_records", description=__doc__)
    parser.add_argument("--pages", type=int, default=5000)
    pages: int = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as folder, PostgresServer() as server:
        ours, theirs = measure(Path(folder), pages, server)
    for name, each in (("scoopi", ours), ("loop", theirs)):
        rate = pages * CARDS / each.wall_s
        print(
            f"{name}: {each.wall_s:.0f} s, {rate:,.0f} rows/s, processor {each.cpu_s:.0f} s", each.memory_mb
        )
    print(
        f"{theirs.wall_s / ours.wall_s:.1f} times as fast, {theirs.cpu_s / ours.cpu_s:.1f} in processor time"
    )
    return 0 if ours.code == theirs.code == 0 else 1


def _tree(pid: int) -> list[int]:
    with suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *(below for child in children for below in _tree(int(child)))]
    return []


def _memory_mb(pid: int) -> float:
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return 0.0


if __name__ == "__main__":
    sys.exit(main())
