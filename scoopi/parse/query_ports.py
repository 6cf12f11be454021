"""The ports of query engines: queries, and open queries, whose positions are filled in later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from scoopi.model.data import Data, ScriptRow
from scoopi.model.failure import Failure
from scoopi.parse.element import Element

BlockQuery = Callable[[Element], Sequence[Element]]
"""Root element of the page -> the block nodes, in document order."""

PageMemory = dict[Any, Any]
"""Cache that the queries of one page share; dropped with the page."""

ScriptRunner = Callable[[str, ScriptRow], str | None]
"""Script text after substitution, and the row -> its result as text; None for null and undefined.

Values of the page are marked in the text. Raises ScriptError.
"""


class ValueQuery(Protocol):
    """A query for a value inside blocks."""

    def __call__(self, blocks: Sequence[Element], memory: PageMemory | None = None, /) -> str | None:
        """The value as text; None when nothing is found.

        Args:
            memory: cache of the page; without one, each query is evaluated on its own.
        Raises:
            ParseError: its evaluation failed.
        """


class QueryEngine(Protocol):
    """Compiles the selectors of one language to queries, each only once: queries are cached."""

    def compile_block(self, selector: str) -> BlockQuery:
        """A query for block nodes.

        Raises:
            ParseError: the selector is wrong; names the character, with a hint.
        """

    def compile_value(self, selector: str) -> ValueQuery:
        """A query for a value inside blocks; same errors as `compile_block`."""

    def walked(self, selector: str, at: int) -> WalkedQuery | None:
        """The selector as a target of the compiled walk over a block (see `parse/walks/block_walk.py`).

        None if the walk cannot evaluate it.

        Args:
            at: index of its values in the result of the walk.
        """

    def positional_block(self, selector: str, stand_ins: Sequence[int]) -> PositionalBlock | None:
        """As `positional`, for the selector of a block."""

    def positional(self, selector: str, stand_ins: Sequence[int]) -> Positional | None:
        """The selector as a query with open positions, if only positions vary in it.

        Args:
            selector: with a unique number in place of each position that is not known yet.
            stand_ins: these numbers, at least one.
        Returns:
            None if the selector is invalid, or must be compiled for each position.
        """


class DataReader(Protocol):
    """Reads the rows of pages by one data definition."""

    def read(self, root: Element, scripts: ScriptRunner | None, warn: Callable[[Failure], None]) -> Data:
        """The rows of the page, in the order in which they are produced.

        Args:
            root: root element of the page.
            scripts: runs the definition's scripts; None if it has none.
            warn: called once for each axis with a stop value that was never met, or with a range that ended
                although later indexes have values.
        Raises:
            ParseError: a query failed, or there are too many rows.
            ScriptError: a script failed.
        """


class OpenStep(Protocol):
    """A step of an open query: from an element to the candidates below it, of which a position picks one."""

    @property
    def child_tag(self) -> str | None:
        """The tag, if the step selects all children of that tag (`*` for any); None if it tests more."""

    @property
    def of_type(self) -> bool:
        """Whether a position counts only the siblings of the same name."""

    def select(self, context: Element, /) -> list[Element]:
        """The elements that the step finds below the context, in document order.

        Raises:
            ParseError: the evaluation of the step failed.
        """


class ChildValue(NamedTuple):
    """How a value is read from children of an element, whose texts or attributes are joined.

    Attributes:
        child_tag: tag of the children; `*` for any.
        attribute: name of the attribute that is read; empty for the own text.
    """

    child_tag: str
    attribute: str


class ColumnPlan(NamedTuple):
    """What a walk in C reads in blocks: elements at the end of a chain, by their positions among siblings.

    Attributes:
        chain, children: the chain, as from `SimpleChain.links`.
        place: as in `SimpleChain.plan`.
        child_tag: tag of their children that are read; empty to read the elements themselves.
        attribute: name of the attribute that is read; empty for the own text.
    """

    chain: tuple[object, ...]
    children: tuple[bool, ...]
    place: int
    child_tag: str
    attribute: str


class OpenQuery(Protocol):
    """A query whose positions are filled in later. Serves all pages; equal queries share a page's index."""

    @property
    def key(self) -> str:
        """Identifies the query: equal queries have equal keys."""

    @property
    def keys(self) -> Sequence[str]:
        """A key for each step: equal for queries that are equal up to that step."""

    @property
    def steps(self) -> Sequence[OpenStep]:
        """The steps. The first starts at a block, each other one at an element found by the one before."""

    @property
    def is_full_text(self) -> bool:
        """Whether texts include descendants and cells are counted by type, as in XPath; else as in CSS."""

    @property
    def reads_below(self) -> bool:
        """Whether the value is read from descendants of the element at the last position."""

    @property
    def is_text(self) -> bool:
        """Whether the value is the text of the elements at the last position."""

    @property
    def tail(self) -> ChildValue | None:
        """The children that are read at the last position; None if the value is read in another way."""

    @property
    def column(self) -> ColumnPlan | None:
        """How a walk in C finds all values of a query of one position; None if it cannot."""

    def blocks(self, found: Sequence[Element], /) -> list[Element]:
        """The blocks, of those found, in which the value is searched."""

    def value(self, elements: list[Element], /) -> str | None:
        """The value of the elements at the last position, which must not be nested; None if there is none.

        Raises:
            ParseError: evaluating the rest of the query failed.
        """

    def filled(self, positions: Sequence[int], /) -> Callable[[Sequence[Element]], str | None]:
        """The ordinary query with these positions filled in: blocks -> value."""


class OpenBlockQuery(OpenQuery, Protocol):
    """An open query for the blocks of a page."""

    def below(self, elements: list[Element], /) -> list[Element]:
        """The blocks, given the elements at the last position; same errors as `value`."""


class WalkedQuery(NamedTuple):
    """A target of the compiled walk, and how its matches become a value.

    Attributes:
        plan: see `SimpleChain.plan`.
        join: texts found, in document order -> the value; a single text is the value itself.
        may_lack: whether a query must decide if nothing is found, as elements may lack the attribute.
    """

    plan: tuple[object, ...]
    join: Callable[[Sequence[str]], str | None]
    may_lack: bool = False


class Positional(NamedTuple):
    """An open query and its positions.

    Attributes:
        positions: from the left, each a stand-in or a number as written.
        change: applied to each value; None to leave values unchanged.
    """

    query: OpenQuery
    positions: tuple[int, ...]
    change: Callable[[str | None], str] | None = None


class PositionalBlock(NamedTuple):
    """An open query for blocks and its positions; see Positional."""

    query: OpenBlockQuery
    positions: tuple[int, ...]
