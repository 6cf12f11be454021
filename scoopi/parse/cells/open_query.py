"""OpenQuery: a selector in which positions are left open, as either language compiles it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from lxml import etree

Element = etree._Element


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


class OpenQuery(Protocol):
    """The same for all pages; equal queries share one index of a page."""

    @property
    def key(self) -> str:
        """Equal for equal queries."""

    @property
    def keys(self) -> Sequence[str]:
        """By step; equal for queries that are equal up to there."""

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

    def blocks(self, found: Sequence[Element], /) -> list[Element]:
        """The blocks that count."""

    def value(self, elements: list[Element], /) -> str | None:
        """The value of elements at the last position, none of which lies inside another.

        Raises:
            ParseError: the evaluation of what lies below failed.
        """

    def filled(self, positions: Sequence[int], /) -> Callable[[Sequence[Element]], str | None]:
        """The ordinary query with these positions filled in: from blocks to the value."""


class Positional(NamedTuple):
    """A query and what to fill in from the left: a stand-in, or a number as written."""

    query: OpenQuery
    positions: tuple[int, ...]
