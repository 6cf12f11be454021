"""Page: a document and its tree, parsed when first asked for, once."""

from __future__ import annotations

from lxml import etree

from scoopi.errors import ParseError
from scoopi.model.locator import Document
from scoopi.parse.tree.html import TreeLimits, parse_html


class Page:
    """What parsers are given; belongs to one worker, all tasks of the page share it.

    Attributes:
        is_read: a task has read it.
        has_values: one of them found a value.
    """

    __slots__ = ("_error", "_limits", "_tree", "document", "has_values", "is_read")

    def __init__(self, document: Document, limits: TreeLimits) -> None:
        self.document = document
        self._limits = limits
        self._tree: etree._ElementTree | None = None
        self._error: ParseError | None = None
        self.is_read = self.has_values = False

    @property
    def root(self) -> etree._Element:
        """The `html` element.

        Raises:
            ParseError: the page is beyond the limits; names its address. Raised at each call, parsed once.
        """
        if self._tree is None:
            self._tree = self._parsed()
        return self._tree.getroot()

    @property
    def base_href(self) -> str | None:
        """The `href` of the first `base` element that has one, as written; raises as `root`."""
        return next((href for base in self.root.iter("base") if (href := base.get("href"))), None)

    def _parsed(self) -> etree._ElementTree:
        if self._error is not None:
            raise self._error
        try:
            tree = parse_html(self.document.body, self.document.charset, limits=self._limits)
        except ParseError as error:
            self._error = ParseError(error.what, at=self.document.url, hint=error.hint)
            raise self._error from None
        tree.docinfo.URL = self.document.url  # what `abs:href` is joined to
        return tree
