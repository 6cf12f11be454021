"""BlockWalk: finds the values of several selectors inside a block in one walk over its elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lxml import etree

from scoopi.parse.bridge.html_backend import record_values
from scoopi.parse.query_ports import QueryEngine

Element = etree._Element
_MANY = 2
"""From this number of selectors on, one walk is faster than a query for each."""


class BlockWalk:
    """Finds the values of several selectors inside a block in one walk over its elements.

    Otherwise a card with five fields takes five queries, and setting up one of them costs libxml2 more than
    visiting all elements of the card.

    Args:
        selectors: selectors of the same blocks; the walk evaluates those that it can.
        engine: of their language.
    """

    def __init__(self, selectors: Iterable[str], engine: QueryEngine) -> None:
        self._selectors: list[tuple[str, Callable[[Sequence[str]], str | None], bool]] = []
        plan: list[tuple[object, ...]] = []
        for selector in dict.fromkeys(selectors):
            walked = engine.walked(selector, len(plan))
            if walked is not None:
                plan.append(walked.plan)
                self._selectors.append((selector, walked.join, walked.may_lack))
        native = record_values()
        is_worthwhile = native is not None and len(plan) >= _MANY
        self._found = native(tuple(plan), len(plan)) if native is not None and is_worthwhile else None

    @property
    def selectors(self) -> list[str]:
        """The selectors that the walk evaluates."""
        return [selector for selector, _, _ in self._selectors]

    @property
    def is_worthwhile(self) -> bool:
        """Whether the walk is available and evaluates enough selectors to be faster than queries."""
        return self._found is not None

    def values(self, block: Element) -> dict[str, str | None]:
        """The values by selector, without those that only an ordinary query can find."""
        assert self._found is not None, "see is_worthwhile"
        found = self._found([block])[0]
        if found is None:
            return {}
        return {
            selector: texts[0] if len(texts) == 1 else join(texts)  # most labels and fields have one
            for (selector, join, may_lack), texts in zip(self._selectors, found, strict=True)
            if texts or (texts is not None and not may_lack)
        }
