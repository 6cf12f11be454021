"""PageTarget: gives broken pages to the HTML parser; both HTML backends must agree on them."""

from __future__ import annotations

from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.bridge.html_backend import row_reader_of
from scoopi.parse.cells import row_cells
from scoopi.parse.tree.charset import to_utf8
from scoopi.parse.tree.html_copier import copy_html
from scoopi.parse.tree.page import TreeLimits, parse_html
from tests.fuzz.page_inputs import FuzzPage, FuzzPages
from tests.parse.tree.built_bridge import built_bridge
from tests.parse.tree.tree_drawing import draw


class PageTarget:
    """The compiled bridge gets every page, the pure-Python copier every `copied_every`-th one."""

    name = "pages"
    host_timeout_s = 60.0

    def __init__(self, seed: int, copied_every: int = 50) -> None:
        self._pages = FuzzPages(seed)
        self._copied_every = copied_every
        built_bridge()

    def feed(self, number: int) -> bool:
        """As `Target`; an AssertionError means that the backends differ."""
        return _give(self._pages.page(number), number % self._copied_every == 0)

    def shown(self, number: int) -> bytes:
        """The page, after a line on how it is given."""
        page = self._pages.page(number)
        return f"charset {page.charset!r}, max_depth {page.max_depth}\n".encode() + page.body

    def close(self) -> None:
        """Nothing was started."""


def _give(page: FuzzPage, with_copier: bool) -> bool:
    text = to_utf8(page.body, page.charset)
    tree: etree._ElementTree | None
    try:
        tree = built_bridge()(text, page.max_depth)
    except ParseError:
        tree = None
    if with_copier:
        _compare(page, text, tree)
    if tree is not None:
        _read(tree)
        if with_copier:
            _compare_rows(tree)
            _take_apart(tree)
    return tree is not None


def _compare(page: FuzzPage, text: bytes, tree: etree._ElementTree | None) -> None:
    copied: etree._ElementTree | None
    try:
        copied = copy_html(text, page.max_depth)
    except ParseError:
        copied = None
    refused = (tree is None, copied is None)
    assert refused[0] == refused[1], f"refused by the bridge and by the copier: {refused}"
    if tree is not None and copied is not None:
        assert draw(tree) == draw(copied), "the HTML backends give different trees"
        again = parse_html(page.body, page.charset, limits=TreeLimits(max_depth=page.max_depth))
        assert draw(again) == draw(tree), "parse_html gives another tree"


def _read(tree: etree._ElementTree) -> None:
    """Touch each node: damaged memory shows itself."""
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
    for name in ("", "class"):
        assert compiled.tails(elements, "td", name) == row_cells.tails(elements, "td", name)


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
