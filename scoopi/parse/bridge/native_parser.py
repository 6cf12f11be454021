"""NativeParser: lexbor's tree becomes lxml's tree in compiled code."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.tree.html_limits import MAX_NODES, refuse_depth, refuse_nodes

MODULE = "scoopi.parse.bridge._bridge"


class NativeParser:
    """Parses with the GIL released; any thread may call it.

    Args:
        module: the compiled module, if it is not the one built in place.
    Raises:
        ImportError: it is not built, or does not fit the lxml or selectolax that is installed.

    Attributes:
        module: the compiled module.
        positions, cells, part: as in `row_cells`, but None for rows whose white space may matter.
    """

    def __init__(self, module: Any = None) -> None:
        self.module = import_module(MODULE) if module is None else module
        self._parser = etree.HTMLParser()
        self.positions = self.module.positions
        self.cells = self.module.cells
        self.part = self.module.part

    def __call__(self, page: bytes, max_depth: int, max_nodes: int = MAX_NODES) -> etree._ElementTree:
        """The tree of a page in valid UTF-8.

        Raises:
            ParseError: the tree is deeper than `max_depth` elements, has more than `max_nodes` nodes, or
                takes 128 MB and more than 128 bytes for each byte of the page, or 30 s of processor time
                and more than 1 s for each MB; a tag has more than 50,000 attributes.
        """
        try:
            capsule = self.module.parse(page, max_depth, max_nodes)
        except RecursionError:
            refuse_depth(max_depth)
        except BufferError:
            refuse_nodes(max_nodes)
        except OverflowError as fault:
            raise ParseError(
                f"the page of {len(page):,} bytes {fault}",
                hint="it is broken, or made to do harm; leave it out",
            ) from None
        tree: etree._ElementTree = etree.adopt_external_document(capsule, self._parser)
        return tree
