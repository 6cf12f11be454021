"""XPathOpenQuery: a path cut at its open positions, each part compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lxml import etree

from scoopi.parse.xpath.xpath_steps import XPathStep
from scoopi.parse.xpath.xpath_values import text_of, text_of_node

Element = etree._Element


class Compile(Protocol):
    """What the engine makes of an expression: context element -> its result."""

    def __call__(self, expression: str, /) -> Callable[[Element], Any]:
        """Raises ParseError when the expression is wrong."""


class XPathOpenQuery:
    """An OpenQuery; the last block counts, and in it the last node.

    Args:
        steps: of the path.
        opened: which of them have an open position.
        compiled: makes the queries of the parts.
    Raises:
        ParseError: a part is wrong.
    """

    is_full_text = True

    def __init__(self, steps: Sequence[XPathStep], opened: Sequence[int], compiled: Compile) -> None:
        self._steps = steps
        self._opened = opened
        self._compile = compiled
        begins = [0, *(at + 1 for at in opened)]
        parts = [steps[begin : end + 1] for begin, end in zip(begins, opened, strict=False)]
        self.steps = [_Part(part, compiled, is_first=at == 0) for at, part in enumerate(parts)]
        tail = steps[begins[-1] :]
        self._tail = compiled(_relative(tail)) if tail else None
        self.reads_below = self._tail is not None
        self.is_text = self._tail is None
        self.keys = [_key(steps[: at + 1], opened) for at in opened]
        self.key = _key(steps, opened)

    def blocks(self, found: Sequence[Element]) -> list[Element]:
        """The last one."""
        return list(found[-1:])

    def value(self, elements: list[Element]) -> str | None:
        """The text of the last element, or of the last node that the tail finds below them."""
        if self._tail is None:
            return text_of_node(elements[-1]) if elements else None
        for element in reversed(elements):
            found = self._tail(element)
            if found:
                return text_of(found)
        return None

    def filled(self, positions: Sequence[int]) -> Callable[[Sequence[Element]], str | None]:
        """Blocks -> the value, by a path compiled for these positions."""
        texts = [step.text for step in self._steps]
        for at, position in zip(self._opened, positions, strict=True):
            texts[at] = f"{self._steps[at].separator}{self._steps[at].node}[{position}]"
        query = self._compile("".join(texts))
        return lambda blocks: text_of(query(blocks[-1])) if blocks else None


class _Part:
    """Steps up to an open position, which is left out; an OpenStep."""

    def __init__(self, steps: Sequence[XPathStep], compiled: Compile, *, is_first: bool) -> None:
        *before, last = steps
        bare = [*before, XPathStep(last.separator, last.node)]
        is_child = not before and last.separator == ("" if is_first else "/")
        self.child_tag = last.node.lower() if is_child else None
        self.of_type = last.node != "*"
        self._query = compiled("".join(step.text for step in bare) if is_first else _relative(bare))

    def select(self, context: Element) -> list[Element]:
        if self.child_tag is not None:
            return list(context.iterchildren(self.child_tag))
        found: list[Element] = self._query(context)
        return found


def _relative(steps: Sequence[XPathStep]) -> str:
    """The path from the node before."""
    return "." + "".join(step.text for step in steps)


def _key(steps: Sequence[XPathStep], opened: Sequence[int]) -> str:
    return "".join(
        f"{step.separator}{step.node}[]" if at in opened else step.text for at, step in enumerate(steps)
    )


def opened_steps(steps: Sequence[XPathStep], stand_ins: Sequence[int]) -> list[int] | None:
    """Which positions are to be left open: those of stand-ins, and a number as written beside a single one.

    So `tr[1]/td[%{index}]` shares an index with `tr[%{item.index}]/td[%{index}]`.

    Returns:
        None when a stand-in is not the position of one step, or where it may be the page's root.
    """
    opened = [at for at, step in enumerate(steps) if step.position in stand_ins]
    first = 1 if steps[0].separator and steps[0].node == "*" else 0
    if len(opened) != len(stand_ins) or opened[0] < first:
        return None
    if len(opened) == 1:
        beside = (opened[0] + 1, opened[0] - 1)
        opened += [at for at in beside if first <= at < len(steps) and steps[at].position is not None][:1]
    return sorted(opened)
