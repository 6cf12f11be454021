"""BlockWalk: finds the values of several selectors inside a block in one walk over its elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from scoopi.parse.bridge.html_backend import block_values
from scoopi.parse.element import Element
from scoopi.parse.query_ports import QueryEngine

_MANY = 2
"""From this number of selectors on, one walk is faster than a query for each."""


class BlockWalk:
    """Finds the values of several selectors inside a block in one walk over its elements.

    Without it, a card with five fields takes five queries, and setting up one of them costs libxml2 more than
    visiting all elements of the card.

    Args:
        selectors: selectors of the same blocks; the walk evaluates those that it can.
        engine: compiles selectors of their language.
    """

    def __init__(self, selectors: Iterable[str], engine: QueryEngine) -> None:
        self._selectors: list[tuple[str, Callable[[Sequence[str]], str | None], bool]] = []
        plan: list[tuple[object, ...]] = []
        for selector in dict.fromkeys(selectors):
            walked = engine.walked(selector, len(plan))
            if walked is not None:
                plan.append(walked.plan)
                self._selectors.append((selector, walked.join, walked.may_lack))
        native = block_values()
        is_worthwhile = native is not None and len(plan) >= _MANY
        self._found = native(tuple(plan), len(plan)) if native is not None and is_worthwhile else None
        self._keys: dict[str, list[tuple[str, str]]] = {}

    @property
    def selectors(self) -> list[str]:
        """The selectors that the walk evaluates."""
        return [selector for selector, _, _ in self._selectors]

    @property
    def is_worthwhile(self) -> bool:
        """Whether the walk is available and evaluates enough selectors to be faster than queries."""
        return self._found is not None

    def read(self, block: str, element: Element, known: dict[tuple[str, ...], str | None]) -> None:
        """Find the values in a block, and add them to `known`; leaves out those that take an ordinary query.

        Args:
            block: selector of the block.
            element: the block.
            known: (block, selector) -> value; changed in place.
        """
        assert self._found is not None, "see is_worthwhile"
        found = self._found([element])[0]
        if found is None:
            return
        if type(found) is tuple:  # most labels and fields have one value
            known.update(zip(self._keys_of(block), found, strict=True))
            return
        for key, (_, join, may_lack), texts in zip(self._keys_of(block), self._selectors, found, strict=True):
            if texts or (texts is not None and not may_lack):
                known[key] = texts[0] if len(texts) == 1 else join(texts)

    def _keys_of(self, block: str) -> list[tuple[str, str]]:
        """The keys of the values; those of the last block are kept, as most definitions have one."""
        if (keys := self._keys.get(block)) is None:
            keys = [(block, selector) for selector, _, _ in self._selectors]
            self._keys = {block: keys}
        return keys
