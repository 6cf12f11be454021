"""parse_html: the bytes of a page become the browser's tree, as an lxml tree."""

from __future__ import annotations

import msgspec
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.bridge.html_backend import COMPILED, PURE_PYTHON, compiled_parser
from scoopi.parse.tree.charset import to_utf8
from scoopi.parse.tree.html_copier import copy_html
from scoopi.parse.tree.html_limits import MAX_NODES


class TreeLimits(msgspec.Struct, frozen=True):
    """Limits of a page.

    Attributes:
        max_depth: elements inside one another, `html` being the first.
        max_nodes: elements, texts, comments and attributes, which bound the memory: some 300 bytes each.
        max_bytes: length of the page as loaded, content-encoding undone.
    """

    max_depth: int = 2000
    max_nodes: int = MAX_NODES
    max_bytes: int = 33_554_432


_LIMITS = TreeLimits()


def parse_html(
    page: bytes, charset: str | None = None, *, limits: TreeLimits = _LIMITS
) -> etree._ElementTree:
    """The tree that the HTML standard's parser builds of the page, scripting off.

    Names of elements and attributes are in lower case and in no namespace, those of SVG and MathML
    too (`//lineargradient`); an attribute with a prefix keeps it in its name, as in
    `@*[name()='xlink:href']`. The content of a `template` is its children. Comments are kept, also
    those that the standard calls instructions (`<?php …>`); the doctype is not. Characters that XML
    refuses (controls, noncharacters) become U+FFFD, form feeds blanks.

    Args:
        charset: the charset of the Content-Type header, if there was one.
    Raises:
        ParseError: the page is longer or deeper, or has more nodes, than the limits allow.
    Source: defs/README.md, 3.1.
    """
    if len(page) > limits.max_bytes:
        raise ParseError(
            f"the page has {len(page):,} bytes, {limits.max_bytes:,} are allowed",
            hint="raise scoopi.loader.maxBytes if the page is right",
        )
    text = to_utf8(page, charset)
    return (compiled_parser() or copy_html)(text, limits.max_depth, limits.max_nodes)


def libxml2_version() -> str:
    """Of the libxml2 that lxml brings."""
    return ".".join(map(str, etree.LIBXML_VERSION))


def html_backend() -> str:
    """How the parsed tree is copied into lxml: `compiled` (by the bridge) or `pure Python`."""
    return COMPILED if compiled_parser() is not None else PURE_PYTHON
