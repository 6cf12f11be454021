"""feed: gives pages to the parser, in a process of its own that may die of it; says which page it is at."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse import row_cells
from scoopi.parse.bridge.gears import row_reader_of
from scoopi.parse.charset import to_utf8
from scoopi.parse.html import TreeLimits, parse_html
from scoopi.parse.html_walk import walk_html
from tests.parse.fuzz_pages import FuzzPage, FuzzPages
from tests.parse.tree.built_bridge import built_bridge
from tests.parse.tree.tree_drawing import draw


@dataclass(frozen=True, slots=True)
class FeedPlan:
    """Which pages are given.

    Attributes:
        first: number of the first page.
        end: the number after the last one.
        walk_every: of so many pages one is given to the walk too.
        folder: where pages that show a fault are kept.
    """

    seed: int
    first: int
    end: int
    walk_every: int
    folder: Path


@dataclass(frozen=True, slots=True)
class FeedMarks:
    """What the process that feeds tells the one that watches, by shared memory.

    Attributes:
        at: number of the page that is parsed now; -1 before the first.
        faults: pages for which the two gears differ or something else than ParseError was raised.
        refused: pages that ended in ParseError.
        grown_kb: resident memory beyond that of the first thousand pages.
    """

    at: Synchronized[int]
    faults: Synchronized[int]
    refused: Synchronized[int]
    grown_kb: Synchronized[int]


def feed(plan: FeedPlan, marks: FeedMarks) -> None:
    """Give all pages of the plan; a page with a fault is kept, and the next one taken."""
    built_bridge()
    pages = FuzzPages(plan.seed)
    settled_kb = 0
    for number in range(plan.first, plan.end):
        marks.at.value = number
        page = pages.page(number)
        try:
            _give(page, number % plan.walk_every == 0, marks)
        except Exception:
            marks.faults.value += 1
            keep(plan.folder, plan.seed, number, page, traceback.format_exc())
        if number - plan.first == 1000:
            settled_kb = _resident_kb()
    marks.grown_kb.value = max(0, _resident_kb() - settled_kb) if settled_kb else 0
    marks.at.value = plan.end


def keep(folder: Path, seed: int, number: int, page: FuzzPage, fault: str) -> None:
    """Write the page, and beside it what happened."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{seed}-{number}.html").write_bytes(page.body)
    said = f"charset {page.charset!r}, max_depth {page.max_depth}\n{fault}\n"
    (folder / f"{seed}-{number}.txt").write_text(said, encoding="utf-8")


def _give(page: FuzzPage, with_walk: bool, marks: FeedMarks) -> None:
    """Raises AssertionError when the gears differ; anything else but ParseError is a fault too."""
    text = to_utf8(page.body, page.charset)
    try:
        tree = built_bridge()(text, page.max_depth)
    except ParseError:
        marks.refused.value += 1
        tree = None
    if with_walk:
        _compare(page, text, tree)
    if tree is not None:
        _read(tree)
        if with_walk:
            _compare_rows(tree)
            _take_apart(tree)


def _compare(page: FuzzPage, text: bytes, tree: etree._ElementTree | None) -> None:
    walked: etree._ElementTree | None
    try:
        walked = walk_html(text, page.max_depth)
    except ParseError:
        walked = None
    refused = (tree is None, walked is None)
    assert refused[0] == refused[1], f"refused by the bridge and by the walk: {refused}"
    if tree is not None and walked is not None:
        assert draw(tree) == draw(walked), "the gears give different trees"
        again = parse_html(page.body, page.charset, limits=TreeLimits(max_depth=page.max_depth))
        assert draw(again) == draw(tree), "parse_html gives another tree"


def _read(tree: etree._ElementTree) -> None:
    """Touch each node: memory that is not right shows itself."""
    assert etree.tostring(tree)
    for element in tree.iter():
        assert element.text is None or isinstance(element.text, str)


def _compare_rows(tree: etree._ElementTree) -> None:
    """Positions and texts of cells, compiled and not."""
    elements = list(tree.getroot().iter("*"))[:200]
    rows: list[etree._Element | None] = [*elements, None]
    compiled = row_reader_of(built_bridge())
    for full in (True, False):
        assert compiled.positions(elements, full) == row_cells.positions(elements, full)
        for tag in ("*", "td"):
            assert compiled.cells(elements, tag, full) == row_cells.cells(elements, tag, full)
            assert compiled.part(rows, tag, full, 1, 3) == row_cells.part(rows, tag, full, 1, 3)


def _take_apart(tree: etree._ElementTree) -> None:
    """Change the tree as a script may, and let lxml free its pieces one by one."""
    elements = list(tree.getroot().iter("*"))
    other = etree.Element("other")
    for number, element in enumerate(elements[1:40]):
        if number % 3 == 0 and element.getparent() is not None:
            other.append(element)
        else:
            element.text, element.tail = "x", None
            element.set("a", "b")
    del elements[::2], tree
    assert etree.tostring(other)


def _resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4
