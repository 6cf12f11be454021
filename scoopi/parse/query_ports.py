"""DataReader, and what it needs of a selector language and of scripts: QueryEngine, ScriptRunner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from lxml import etree

from scoopi.model.data import Data, ScriptRow
from scoopi.model.failure import Failure
from scoopi.parse.cells.open_query import Positional

BlockQuery = Callable[[etree._Element], Sequence[etree._Element]]
"""Root element of the page -> the block nodes, in document order."""

ValueQuery = Callable[[Sequence[etree._Element]], str | None]
"""Block nodes -> the value as text; None when nothing is found."""

ScriptRunner = Callable[[str, ScriptRow], str | None]
"""Script text after substitution, and the row -> its result as text; None for null and undefined.

Values of the page are marked in the text. Raises ScriptError.
"""


class QueryEngine(Protocol):
    """One selector language; compiling is done once per text and cached by the engine."""

    def compile_block(self, selector: str) -> BlockQuery:
        """A query for block nodes.

        Raises:
            ParseError: the selector is wrong; names the character, with a hint.
        """

    def compile_value(self, selector: str) -> ValueQuery:
        """A query for a value, inside blocks; raises as `compile_block`."""

    def positional(self, selector: str, stand_ins: Sequence[int]) -> Positional | None:
        """The selector as a query whose positions are left open, if nothing but positions varies in it.

        Args:
            selector: with numbers that occur nowhere else standing for the positions not known yet.
            stand_ins: these numbers, at least one.
        Returns:
            None when the selector must be compiled for each position, or is wrong.
        """


class DataReader(Protocol):
    """Reads the rows of pages by one data definition."""

    def read(
        self, root: etree._Element, scripts: ScriptRunner | None, warn: Callable[[Failure], None]
    ) -> Data:
        """The rows of the page, in the order of their making.

        Args:
            root: root element of the page.
            scripts: runs the definition's scripts; None if it has none.
            warn: called once for each axis with a stop value that was never met, or with a range that ended
                although later indexes have values.
        Raises:
            ParseError: a query failed, or there are too many rows.
            ScriptError: a script failed.
        """
