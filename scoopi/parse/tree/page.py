"""Page: a document and its tree, parsed as a browser does when first asked for, once."""

from __future__ import annotations

import msgspec
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.locator import Document
from scoopi.parse.bridge.html_backend import COMPILED, PURE_PYTHON, NativeParser, compiled_parser
from scoopi.parse.parts.page_part import PagePart
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
    page: bytes,
    charset: str | None = None,
    *,
    limits: TreeLimits = _LIMITS,
    part: PagePart | None = None,
) -> etree._ElementTree:
    """The tree that the HTML standard's parser builds of the page, scripting off.

    Names of elements and attributes are in lower case and in no namespace, those of SVG and MathML
    too (`//lineargradient`); an attribute with a prefix keeps it in its name, as in
    `@*[name()='xlink:href']`. The content of a `template` is its children. Comments are kept, also
    those that the standard calls instructions (`<?php …>`); the doctype is not. Characters that XML
    refuses (controls, noncharacters) become U+FFFD, form feeds blanks.

    Args:
        charset: the charset of the Content-Type header, if there was one.
        part: what of the page is needed in the tree; None for all. More of it may be there.
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
    parse = compiled_parser() or copy_html
    if part is not None and isinstance(parse, NativeParser):
        return parse(text, limits.max_depth, limits.max_nodes, part)
    return parse(text, limits.max_depth, limits.max_nodes)


def libxml2_version() -> str:
    """The version of the libxml2 that lxml brings, as `2.13.8`."""
    return ".".join(map(str, etree.LIBXML_VERSION))


def html_backend() -> str:
    """How the parsed tree is copied into lxml: `compiled` (by the bridge) or `pure Python`."""
    return COMPILED if compiled_parser() is not None else PURE_PYTHON


class Page:
    """A document and its tree, parsed as a browser does when first asked for, once.

    Belongs to one worker; all tasks of the page share it.

    Args:
        part: what the definitions read of it, whose tree is built faster; None for all.

    Attributes:
        is_read: a task has read it.
        has_values: one of them found a value.
    """

    __slots__ = ("_error", "_limits", "_part", "_part_tree", "_tree", "document", "has_values", "is_read")

    def __init__(self, document: Document, limits: TreeLimits, part: PagePart | None = None) -> None:
        self.document = document
        self._limits = limits
        self._part = part
        self._tree: etree._ElementTree | None = None
        self._part_tree: etree._ElementTree | None = None
        self._error: ParseError | None = None
        self.is_read = self.has_values = False

    @property
    def root(self) -> etree._Element:
        """The `html` element.

        Raises:
            ParseError: the page is beyond the limits; names its address. Raised at each call, parsed once.
        """
        if self._tree is None:
            self._tree = self._parsed(None)
        return self._tree.getroot()

    @property
    def part_root(self) -> etree._Element:
        """The `html` element, of a tree that has all that the definitions read; raises as `root`."""
        if self._tree is not None or self._part is None:
            return self.root
        if self._part_tree is None:
            self._part_tree = self._parsed(self._part)
        return self._part_tree.getroot()

    @property
    def base_href(self) -> str | None:
        """The `href` of the first `base` element that has one, as written; raises as `root`."""
        return next((href for base in self.part_root.iter("base") if (href := base.get("href"))), None)

    def _parsed(self, part: PagePart | None) -> etree._ElementTree:
        if self._error is not None:
            raise self._error
        try:
            tree = parse_html(self.document.body, self.document.charset, limits=self._limits, part=part)
        except ParseError as error:
            self._error = ParseError(error.what, at=self.document.url, hint=error.hint)
            raise self._error from None
        tree.docinfo.URL = self.document.url  # what `abs:href` is joined to
        return tree
