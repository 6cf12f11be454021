"""What a query engine offers: queries, and open queries, whose positions are left open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from lxml import etree

from scoopi.model.data import Data, ScriptRow
from scoopi.model.failure import Failure

BlockQuery = Callable[[etree._Element], Sequence[etree._Element]]
"""Root element of the page -> the block nodes, in document order."""

PageMemory = dict[Any, Any]
"""What queries remember of one page for each other; it is dropped with the page."""

ScriptRunner = Callable[[str, ScriptRow], str | None]
"""Script text after substitution, and the row -> its result as text; None for null and undefined.

Values of the page are marked in the text. Raises ScriptError.
"""
Element = etree._Element


class ValueQuery(Protocol):
    """A query for a value inside blocks."""

    def __call__(self, blocks: Sequence[Element], memory: PageMemory | None = None, /) -> str | None:
        """The value as text; None when nothing is found.

        Args:
            memory: of the page; without one, each query is evaluated by itself.
        Raises:
            ParseError: its evaluation failed.
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

    def walked(self, selector: str, at: int) -> WalkedQuery | None:
        """What a walk in C looks for to find the selector's value; None if it is more than a walk can find.

        Args:
            at: the place of its values among those of the walk.
        """

    def positional_block(self, selector: str, stand_ins: Sequence[int]) -> PositionalBlock | None:
        """As `positional`, of the selector of a block."""

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


class OpenStep(Protocol):
    """From an element to those below it among which a position is to be filled in."""

    @property
    def child_tag(self) -> str | None:
        """The tag, when the step goes to children of that tag (`*` for any) and nothing else is asked."""

    @property
    def of_type(self) -> bool:
        """Whether a position counts the siblings of the same name only."""

    def select(self, context: Element, /) -> list[Element]:
        """What it finds below the context, in document order.

        Raises:
            ParseError: its evaluation failed.
        """


class ChildValue(NamedTuple):
    """The joined values of an element's children of a tag: of an attribute, or (empty) their own texts."""

    child_tag: str
    attribute: str


class OpenQuery(Protocol):
    """The same for all pages; equal queries share one index of a page."""

    @property
    def key(self) -> str:
        """A text that equal queries have in common, and no others."""

    @property
    def keys(self) -> Sequence[str]:
        """A text for each step, which queries that are equal up to that step have in common."""

    @property
    def steps(self) -> Sequence[OpenStep]:
        """The first begins at a block, each further one at an element that the one before has found."""

    @property
    def is_full_text(self) -> bool:
        """Whether the text of an element is all that is inside, and cells are counted by their type."""

    @property
    def reads_below(self) -> bool:
        """Whether the value is read from what lies below the last position."""

    @property
    def is_text(self) -> bool:
        """Whether the value is the text of the elements at the last position, and no more."""

    @property
    def tail(self) -> ChildValue | None:
        """What is read of children of an element at the last position; None for anything else."""

    def blocks(self, found: Sequence[Element], /) -> list[Element]:
        """Those of the found blocks in which the value is looked for."""

    def value(self, elements: list[Element], /) -> str | None:
        """The value of elements at the last position, none of which lies inside another.

        Raises:
            ParseError: the evaluation of what lies below failed.
        """

    def filled(self, positions: Sequence[int], /) -> Callable[[Sequence[Element]], str | None]:
        """The ordinary query with these positions filled in: from blocks to the value."""


class OpenBlockQuery(OpenQuery, Protocol):
    """An open query that finds blocks in a page."""

    def below(self, elements: list[Element], /) -> list[Element]:
        """The blocks, from elements at the last position; raises as `value`."""


class WalkedQuery(NamedTuple):
    """What a walk in C looks for, and how what it finds becomes a value.

    Attributes:
        plan: as `SimpleChain.plan`.
        join: of the texts that it finds, in document order.
        may_lack: nothing found may mean that elements lack the attribute, which only a query can distinguish.
    """

    plan: tuple[object, ...]
    join: Callable[[Sequence[str]], str | None]
    may_lack: bool = False


class Positional(NamedTuple):
    """A query, what to fill in from the left (a stand-in, or a number as written), what changes values."""

    query: OpenQuery
    positions: tuple[int, ...]
    change: Callable[[str | None], str] | None = None


class PositionalBlock(NamedTuple):
    """As Positional, of a block."""

    query: OpenBlockQuery
    positions: tuple[int, ...]
