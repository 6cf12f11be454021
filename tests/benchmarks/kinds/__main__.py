"""`scoopi.extract` beside a hand-written lxml loop, for each kind of definitions; prints a line a kind.

`python -m tests.benchmarks.kinds [KIND …] [--repeat 5]`: both begin with the bytes of the kind's page;
medians of processor time, in turn. A kind is a folder with `defs.yml` and `loop.py`: its `page()`, and
`rows(page)` by hand. The exit code is 1 when rows differ or a bar is missed.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
import time
from pathlib import Path

from scoopi import extract
from tests.benchmarks.rows.extract import in_turn

FOLDER = Path(__file__).parent
KINDS = sorted(file.parent.name for file in FOLDER.glob("*/loop.py"))
URL = "http://127.0.0.1/page.html"
TURN_S = 0.05
EACH, MEDIAN = 2.0, 1.3
"""The greatest ratios that are good: of a kind, and of the median of all."""


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.kinds", description=__doc__)
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    ratios, differ = [], False
    for kind in options.kinds:
        ours, theirs, size, rows, same = measured(kind, options.repeat)
        ratios.append(ours / theirs)
        differ |= not same
        print(
            f"{kind:20} {size:9,} bytes {rows:6,} rows   extract {ours:9.0f} us   by hand {theirs:9.0f} us   "
            f"{ours / theirs:5.2f}{'' if same else '   rows DIFFER'}",
            flush=True,
        )
    median = statistics.median(ratios)
    print(f"largest {max(ratios):.2f} (bar {EACH}), median {median:.2f} (bar {MEDIAN})")
    return int(differ or max(ratios) > EACH or median > MEDIAN)


def measured(kind: str, repeat: int) -> tuple[float, float, int, int, bool]:
    """Microseconds of both, bytes of the page, rows, and whether the rows are the same."""
    loop = importlib.import_module(f"tests.benchmarks.kinds.{kind}.loop")
    defs, page = FOLDER / kind / "defs.yml", loop.page().encode()
    found, by_hand = values(defs, page), loop.rows(page)
    started = time.process_time()
    extract(defs, page, URL)
    calls = max(1, int(TURN_S / max(1e-6, time.process_time() - started)))
    ours, theirs = in_turn(lambda: extract(defs, page, URL), lambda: loop.rows(page), repeat, calls)
    return ours, theirs, len(page), len(by_hand), found == by_hand


def values(defs: Path, page: bytes) -> list[tuple[object, ...]]:
    """The values of each row of the grid, or of each record."""
    return [
        tuple(row.values()) if isinstance(row, dict) else tuple(row)[2:] for row in extract(defs, page, URL)
    ]


if __name__ == "__main__":
    sys.exit(main())
