"""Chooses the HTML backend: the compiled bridge if it is built and passes its checks, else pure Python."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.cells.row_cells import Cells, cells, part, positions, tails
from scoopi.parse.css.element_text import join_texts
from scoopi.parse.element import Element
from scoopi.parse.parts.page_part import BASE, CLASS, TAG, Anchor, PagePart
from scoopi.parse.query_ports import ColumnPlan
from scoopi.parse.tree.html_copier import copy_html
from scoopi.parse.tree.html_limits import MAX_NODES, refuse_depth, refuse_nodes

MODULE = "scoopi.parse.bridge._bridge"
COMPILED = "compiled"
PURE_PYTHON = "pure Python"
TreeOf = Callable[[bytes, int, int], etree._ElementTree]
"""(page in valid UTF-8, maximum depth, maximum number of nodes) -> its tree. Raises ParseError."""
ValuesOf = Callable[[list[Element]], list[list[list[str] | None] | None]]
"""Elements of records -> for each, the values of each field; None where Python must evaluate it."""
RecordValues = Callable[[tuple[Any, ...], int], ValuesOf]
"""(targets, each as made by `SimpleChain.plan`; number of fields) -> a function that finds their values."""
FlatValuesOf = Callable[[list[Element]], list[list[list[str] | None] | tuple[str, ...] | None]]
"""As ValuesOf, but an element in which each field has exactly one value gives a tuple of these values."""
ColumnValues = Callable[[list[Element], ColumnPlan], tuple[dict[int, Any], list[int]] | None]
"""(blocks, what is read) -> (position -> text or list of texts, positions of the lists); None where Python
must evaluate it."""
FoundElements = Callable[[Element, tuple[Any, ...], tuple[bool, ...], bool], list[Element] | None]
"""Root, a chain as in `simple_chain.py`, whether to search its whole page -> the elements of the chain;
None where an XPath must find them."""


class NativeParser:
    """Parses pages in the compiled bridge, without the GIL. Thread-safe.

    Args:
        module: the compiled module; None for the one of this package.
    Raises:
        ImportError: it is not built, or does not fit the installed version of lxml or selectolax.

    Attributes:
        module: the compiled module.
        is_utf8: whether a page is valid UTF-8.
        positions, cells, part: as in `row_cells.py`, but with None where white space may be significant.
        tails: likewise, and with the texts of several children as a list, not joined.
        values: compiles the walk over records (see `record_walk.py`); None if the module lacks it.
        elements: finds the elements of a simple selector; None if the module is an older one, which also
            lacks `flat_values`.
    """

    def __init__(self, module: Any = None) -> None:
        self.module = import_module(MODULE) if module is None else module
        self._parser = etree.HTMLParser()
        self.positions = self.module.positions
        self.cells = self.module.cells
        self.part = self.module.part
        self.tails = self.module.tails
        self.values: RecordValues | None = self._values if hasattr(self.module, "values_plan") else None
        self.elements: FoundElements | None = getattr(self.module, "elements", None)
        self._read_column = self.module.column
        self.is_utf8: Callable[[bytes], bool] = self.module.is_utf8

    def __call__(
        self, page: bytes, max_depth: int, max_nodes: int = MAX_NODES, part: PagePart | None = None
    ) -> etree._ElementTree:
        """The tree of a page in valid UTF-8.

        Args:
            part: the part that is needed; None for the whole page. The tree may have more than that.
        Raises:
            ParseError: the tree is deeper than `max_depth` elements or has more than `max_nodes` nodes; it
                takes more than 128 MB plus 128 bytes for each byte of the page, or more CPU time than 30 s
                plus 1 s for each MB; a tag has more than 50,000 attributes.
        """
        further = {} if part is None else {"anchors": (BASE, *part.anchors)}
        try:
            capsule = self.module.parse(page, max_depth, max_nodes, **further)
        except RecursionError:
            refuse_depth(max_depth)
        except BufferError:
            refuse_nodes(max_nodes)
        except OverflowError as fault:
            raise ParseError(
                f"the page of {len(page):,} bytes {fault}",
                hint="the page is malformed or malicious; skip it",
            ) from None
        tree: etree._ElementTree = etree.adopt_external_document(capsule, self._parser)
        return tree

    def column(self, blocks: list[Element], plan: ColumnPlan) -> tuple[dict[int, Any], list[int]] | None:
        """Find the values of a column by their positions; see `ColumnValues`."""
        found: tuple[dict[int, Any], list[int]] | None = self._read_column(blocks, *plan)
        return found

    def flat_values(self, targets: tuple[Any, ...], width: int) -> FlatValuesOf:
        """Compile a walk over blocks; arguments as for RecordValues, result as for FlatValuesOf."""
        return partial(self.module.values, self.module.values_plan(targets, width, True))

    def _values(self, targets: tuple[Any, ...], width: int) -> ValuesOf:
        return partial(self.module.values, self.module.values_plan(targets, width))


class RowReader(NamedTuple):
    """The functions of `row_cells.py`, compiled or pure Python."""

    positions: Callable[[list[Element], bool], list[int]]
    cells: Callable[[list[Element], str, bool], list[Cells]]
    part: Callable[[list[Element | None], str, bool, int, int], Cells]
    tails: Callable[[list[Element], str, str], list[str | None]]


_PURE_PYTHON_READER = RowReader(positions, cells, part, tails)
_TEST_PAGE = (
    "<!--a--><!doctype html><title>x</title><p class=A Data-b id='é'>1<b>2<p>3\0&#1;&nbsp;\f<table>4<tr><td>5"
    "<template><i>6</i></template><svg viewBox=0><linearGradient xlink:href='#'/></svg><!-- b ---><?c d?>"
    "<p @click=x {y=1 z='\f'><o'p>7\r\n</table>\U0001f600<select><option>8<option>9</select></html><!--c-->"
).encode()
_TEST_PART = PagePart((Anchor(TAG, "td"), Anchor(CLASS, "a")))
_DEPTH = 64


@cache
def compiled_parser() -> TreeOf | None:
    """The bridge's parser, if it is built and parses a test page like the pure-Python copier; else None.

    Decided once per process. A bridge that fails its check is logged as a warning.
    """
    return trusted_bridge()


@cache
def row_reader() -> RowReader:
    """The bridge's row reader if the bridge parses pages, else the pure-Python one."""
    native = _native()
    return _PURE_PYTHON_READER if native is None else row_reader_of(native)


@cache
def record_values() -> RecordValues | None:
    """The bridge's walk over records if the bridge parses pages; None to walk in Python."""
    native = _native()
    return None if native is None else native.values


@cache
def block_values() -> Callable[[tuple[Any, ...], int], FlatValuesOf] | None:
    """The bridge's walk over blocks, in which most fields have exactly one value; None to use queries."""
    native = _native()
    return None if native is None or native.elements is None else native.flat_values


@cache
def column_values() -> ColumnValues | None:
    """The bridge's walk over a column if the bridge parses pages; None to read it in Python."""
    native = _native()
    return None if native is None else native.column


@cache
def found_elements() -> FoundElements | None:
    """The bridge's search for elements if the bridge parses pages; None to search with XPath."""
    native = _native()
    return None if native is None else native.elements


def _native() -> NativeParser | None:
    """The bridge if it parses pages."""
    parser = compiled_parser()
    return parser if isinstance(parser, NativeParser) else None


def row_reader_of(native: NativeParser) -> RowReader:
    """The bridge's row reader; falls back to pure Python for rows whose white space may be significant."""

    def read(rows: list[Element], tag: str, full: bool) -> list[Cells]:
        found: list[Cells | None] = native.cells(rows, tag, full)
        return [
            cells([row], tag, full)[0] if texts is None else texts
            for row, texts in zip(rows, found, strict=True)
        ]

    def read_part(rows: list[Element | None], tag: str, full: bool, first: int, stop: int) -> Cells:
        found: Cells | None = native.part(rows, tag, full, first, stop)
        return part(rows, tag, full, first, stop) if found is None else found

    def read_tails(elements: list[Element], tag: str, attribute: str) -> list[str | None]:
        found: list[str | list[str] | None] | None = native.tails(elements, tag, attribute)
        if found is None:
            return tails(elements, tag, attribute)
        # `isinstance` would take longer, which counts here
        return [join_texts(each) if type(each) is list else each for each in found]  # type: ignore[misc]

    return RowReader(native.positions, read, read_part, read_tails)


def trusted_bridge(module: Any = None) -> TreeOf | None:
    """The bridge as in `compiled_parser`, but checked again at each call.

    Args:
        module: the compiled module; None for the one of this package.
    """
    log = logging.getLogger(__name__)
    try:
        native = NativeParser(module)
        same_tree = _drawn(native) == _drawn(copy_html) and _cells(native, _TEST_PART) == _cells(native, None)
        if same_tree and _read(row_reader_of(native)) == _read(_PURE_PYTHON_READER):
            return native
    except ModuleNotFoundError:
        log.debug("the bridge is not built; the pure-Python copier parses pages")
        return None
    except (ImportError, AttributeError, RuntimeError, ValueError, TypeError) as error:
        log.warning("the bridge failed its check, so the pure-Python copier parses pages: %s", error)
        return None
    log.warning("the bridge parsed the test page differently, so the pure-Python copier parses pages")
    return None


def _drawn(parse: TreeOf) -> bytes:
    return etree.tostring(parse(_TEST_PAGE, _DEPTH, MAX_NODES))


def _cells(native: NativeParser, part: PagePart | None) -> list[bytes]:
    tree = native(_TEST_PAGE, _DEPTH, MAX_NODES, part)
    return [
        etree.tostring(each, with_tail=False)
        for each in tree.iter("td", "p")
        if each.tag == "td" or each.keys()
    ]


def _read(reader: RowReader) -> list[object]:
    """All results of the reader for the elements of the test page."""
    elements = list(copy_html(_TEST_PAGE, _DEPTH).getroot().iter("*"))
    found: list[object] = []
    for full in (True, False):
        found.append(reader.positions(elements, full))
        for tag in ("*", "p", "tr", "option"):
            found.append(reader.cells(elements, tag, full))
            found += (reader.part([None, *elements], tag, full, first, first + 2) for first in (0, 1, 2))
    found += (reader.tails(elements, "option", attribute) for attribute in ("", "id"))
    return found
