"""Page: a document and its tree, parsed once, at first access, as a browser does."""

from __future__ import annotations

import msgspec
from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.locator import Document
from scoopi.parse.bridge.html_backend import COMPILED, PURE_PYTHON, NativeParser, compiled_parser
from scoopi.parse.element import Element
from scoopi.parse.parts.page_part import PagePart
from scoopi.parse.tree.charset import to_utf8
from scoopi.parse.tree.html_copier import copy_html
from scoopi.parse.tree.html_limits import MAX_NODES


class TreeLimits(msgspec.Struct, frozen=True):
    """Limits of a page.

    Attributes:
        max_depth: depth of nested elements; `html` has depth 1.
        max_nodes: elements, texts, comments and attributes; limits memory, at about 300 bytes each.
        max_bytes: length of the page, after content decoding.
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
    """Parse a page by the rules of the HTML standard, with scripting disabled.

    Names of elements and attributes are in lower case and without a namespace, also in SVG and MathML
    (`//lineargradient`); an attribute keeps its prefix in its name, as in `@*[name()='xlink:href']`. The
    content of a `template` becomes its children. Comments and processing instructions (`<?php …>`) are kept
    as comments; the doctype is dropped. Characters that XML forbids (controls, noncharacters) become U+FFFD,
    form feeds become blanks.

    Args:
        charset: the charset of the Content-Type header, if there was one.
        part: the part that is needed; None for the whole page. The tree may have more than that.
    Raises:
        ParseError: the page is longer or deeper, or has more nodes, than the limits allow.
    Source: defs/README.md, 3.1.
    """
    if len(page) > limits.max_bytes:
        raise ParseError(
            f"the page has {len(page):,} bytes, {limits.max_bytes:,} are allowed",
            hint="raise scoopi.loader.maxBytes if the page is right",
        )
    parse = compiled_parser() or copy_html
    if isinstance(parse, NativeParser):
        text = to_utf8(page, charset, parse.is_utf8)
        return parse(text, limits.max_depth, limits.max_nodes, part)
    return parse(to_utf8(page, charset), limits.max_depth, limits.max_nodes)


def libxml2_version() -> str:
    """The version of libxml2 that lxml uses, such as `2.13.8`."""
    return ".".join(map(str, etree.LIBXML_VERSION))


def html_backend() -> str:
    """How the parsed tree is copied into lxml: `compiled` (by the bridge) or `pure Python`."""
    return COMPILED if compiled_parser() is not None else PURE_PYTHON


class Page:
    """A document and its tree, parsed once, at first access, as a browser does.

    Belongs to one worker; all tasks of the page share it.

    Args:
        document: the page as loaded.
        limits: limits of the tree and of the page's length.
        part: the part that the definitions read, whose tree is faster to build; None for the whole page.
    Attributes:
        document: as given.
        is_read: whether a task has read the page.
        has_values: whether a task found a value.
        damage: description of a fault in a sitemap or feed that may have hidden entries; empty without one.
    """

    __slots__ = (
        "_error",
        "_limits",
        "_part",
        "_part_tree",
        "_tree",
        "damage",
        "document",
        "has_values",
        "is_read",
    )

    def __init__(self, document: Document, limits: TreeLimits, part: PagePart | None = None) -> None:
        self.document = document
        self._limits = limits
        self._part = part
        self._tree: etree._ElementTree | None = None
        self._part_tree: etree._ElementTree | None = None
        self._error: ParseError | None = None
        self.is_read = self.has_values = False
        self.damage = ""

    @property
    def root(self) -> Element:
        """The `html` element.

        Raises:
            ParseError: the page exceeds the limits; names its URL. Raised at each access, without parsing
                again.
        """
        if self._tree is None:
            self._tree = self._parsed(None)
        return self._tree.getroot()

    @property
    def part_root(self) -> Element:
        """The `html` element of a tree with at least the part that definitions read; errors as for `root`."""
        if self._tree is not None or self._part is None:
            return self.root
        if self._part_tree is None:
            self._part_tree = self._parsed(self._part)
        return self._part_tree.getroot()

    @property
    def base_href(self) -> str | None:
        """The `href` of the first `base` element with one, as written, else None; errors as for `root`."""
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
