"""Gears: whether the compiled bridge is there and can be trusted, decided once a process."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

from lxml import etree

from scoopi.parse.bridge.native_parser import NativeParser
from scoopi.parse.html_walk import walk_html

BRIDGE = "bridge"
WALK = "walk"

TreeOf = Callable[[bytes, int], etree._ElementTree]
"""(page in valid UTF-8, greatest depth) -> its tree. Raises ParseError."""

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


def trusted_bridge(module: Any = None) -> TreeOf | None:
    """As `bridge`, decided anew; `module` as in NativeParser."""
    log = logging.getLogger(__name__)
    try:
        native = NativeParser(module)
        if _drawn(native) == _drawn(walk_html):
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
    return etree.tostring(parse(_CANARY, _DEPTH))
