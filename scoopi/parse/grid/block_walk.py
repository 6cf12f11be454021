"""BlockWalk: the values of several simple selectors inside one block, found in one walk over its elements."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from scoopi.parse.bridge.html_backend import record_values
from scoopi.parse.css.element_text import join_texts
from scoopi.parse.query_ports import QueryEngine

Element = etree._Element


class BlockWalk:
    """The values of several simple selectors inside one block, found in one walk over its elements.

    A card with five fields is asked five queries otherwise, each of which costs libxml2 more to set up than
    all elements of the card cost to look at.

    Args:
        selectors: those that are asked of the same blocks; the walk finds the simple ones among them.
        engine: of their language.
    """

    def __init__(self, selectors: Iterable[str], engine: QueryEngine) -> None:
        self._native = record_values()
        self._plan: list[tuple[object, ...]] = []
        self._selectors: list[tuple[str, bool]] = []
        for selector in dict.fromkeys(selectors):
            simple = engine.simple(selector)
            plan = simple and simple.chain.plan(len(self._plan), simple.attribute, "o", is_list=True)
            if simple and plan:
                self._plan.append(plan)
                self._selectors.append((selector, bool(simple.attribute)))

    @property
    def is_worthwhile(self) -> bool:
        """Whether it finds more than one value, and can walk."""
        return len(self._plan) > 1 and self._native is not None

    def values(self, block: Element) -> dict[str, str | None]:
        """By selector; one that only an ordinary query answers is left out."""
        assert self._native is not None, "see is_worthwhile"
        found = self._native([block], tuple(self._plan), len(self._plan))[0]
        if found is None:
            return {}
        return {
            selector: join_texts(texts)
            for (selector, is_attribute), texts in zip(self._selectors, found, strict=True)
            if texts or not is_attribute  # without any, elements may lack it, which is a blank value
        }
