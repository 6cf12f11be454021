"""Gears: whether the compiled bridge is there and can be trusted, decided once a process."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from lxml import etree

from scoopi.parse.bridge.native_parser import NativeParser
from scoopi.parse.cells.row_cells import Cells, cells, part, positions
from scoopi.parse.tree.html_copier import walk_html
from scoopi.parse.tree.html_limits import MAX_NODES

BRIDGE = "bridge"
WALK = "walk"

TreeOf = Callable[[bytes, int, int], etree._ElementTree]
"""(page in valid UTF-8, greatest depth, most nodes) -> its tree. Raises ParseError."""

Element = etree._Element


class RowReader(NamedTuple):
    """The functions of `row_cells`, in either gear."""

    positions: Callable[[list[Element], bool], list[int]]
    cells: Callable[[list[Element], str, bool], list[Cells]]
    part: Callable[[list[Element | None], str, bool, int, int], Cells]


_WALKING = RowReader(positions, cells, part)
_CANARY = (
    "<!--a--><!doctype html><title>x</title><p class=A Data-b id='é'>1<b>2<p>3\0&#1;&nbsp;\f<table>4<tr><td>5"
    "<template><i>6</i></template><svg viewBox=0><linearGradient xlink:href='#'/></svg><!-- b ---><?c d?>"
    "<p @click=x {y=1 z='\f'><o'p>7\r\n</table>\U0001f600<select><option>8<option>9</select></html><!--c-->"
).encode()
_DEPTH = 64


@cache
def bridge() -> TreeOf | None:
    """The compiled parser, if it is built and gives the same tree as the walk; else None."""
    return trusted_bridge()


@cache
def row_reader() -> RowReader:
    """The compiled one where the bridge is in use."""
    native = bridge()
    return row_reader_of(native) if isinstance(native, NativeParser) else _WALKING


def row_reader_of(native: NativeParser) -> RowReader:
    """The compiled one, which leaves rows in which blanks may count to the other."""

    def read(rows: list[Element], tag: str, full: bool) -> list[Cells]:
        found: list[Cells | None] = native.cells(rows, tag, full)
        return [
            cells([row], tag, full)[0] if texts is None else texts
            for row, texts in zip(rows, found, strict=True)
        ]

    def read_part(rows: list[Element | None], tag: str, full: bool, first: int, stop: int) -> Cells:
        found: Cells | None = native.part(rows, tag, full, first, stop)
        return part(rows, tag, full, first, stop) if found is None else found

    return RowReader(native.positions, read, read_part)


def trusted_bridge(module: Any = None) -> TreeOf | None:
    """As `bridge`, decided anew; `module` as in NativeParser."""
    log = logging.getLogger(__name__)
    try:
        native = NativeParser(module)
        if _drawn(native) == _drawn(walk_html) and _read(row_reader_of(native)) == _read(_WALKING):
            return native
    except ModuleNotFoundError:
        log.debug("pages are parsed by the walk: the bridge is not built")
        return None
    except (ImportError, AttributeError, RuntimeError, ValueError, TypeError) as error:
        log.warning("pages are parsed by the walk, as the bridge fails: %s", error)
        return None
    log.warning("pages are parsed by the walk, as the bridge gives another tree")
    return None


def _drawn(parse: TreeOf) -> bytes:
    return etree.tostring(parse(_CANARY, _DEPTH, MAX_NODES))


def _read(reader: RowReader) -> list[object]:
    """What the reader says of all elements of the canary as read by the walk."""
    elements = list(walk_html(_CANARY, _DEPTH).getroot().iter("*"))
    found: list[object] = []
    for full in (True, False):
        found.append(reader.positions(elements, full))
        for tag in ("*", "p", "tr", "option"):
            found.append(reader.cells(elements, tag, full))
            found += (reader.part([None, *elements], tag, full, first, first + 2) for first in (0, 1, 2))
    return found
