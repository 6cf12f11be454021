"""XPathOpenQuery: a path split at its open positions, each part compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scoopi.errors import ParseError
from scoopi.parse.element import Element
from scoopi.parse.xpath.xpath_tokens import TokenKind, XPathToken, tokens_of
from scoopi.parse.xpath.xpath_values import text_of, text_of_node


@dataclass(frozen=True, slots=True)
class XPathStep:
    """A step of a path.

    Attributes:
        separator: `/` or `//` before the step; empty before the first step of a relative path.
        node: the node test, as written.
        predicates: as written, with brackets.
        position: the number, if the step is just `name[number]` or `*[number]`; else None.
    """

    separator: str
    node: str
    predicates: tuple[str, ...] = ()
    position: int | None = None

    @property
    def text(self) -> str:
        """The step as written."""
        return f"{self.separator}{self.node}{''.join(self.predicates)}"


def steps_of(expression: str) -> list[XPathStep] | None:
    """The steps of a path; None if it is not a path, leads up or sideways, or is invalid."""
    try:
        tokens = list(tokens_of(expression))
    except ParseError:
        return None
    steps: list[XPathStep] = []
    if len(tokens) > 1 and tokens[0].text == ".":
        steps.append(XPathStep("", tokens.pop(0).text))
    while tokens:
        separator = tokens.pop(0).text if tokens[0].text in ("/", "//") else ""
        node = _taken_node(tokens)
        if node is None or (steps and not separator):
            return None
        predicates = _taken_predicates(tokens)
        if predicates is None:
            return None
        steps.append(XPathStep(separator, node, predicates, _position(node, predicates)))
    return steps


def _taken_node(tokens: list[XPathToken]) -> str | None:
    """Consume and return the node test at the start of the tokens."""
    if not tokens:
        return None
    first = tokens.pop(0)
    if first.kind in (TokenKind.NAME, TokenKind.STAR):
        return first.text
    if first.text == "@" and tokens and tokens[0].kind in (TokenKind.NAME, TokenKind.STAR):
        return "@" + tokens.pop(0).text
    if first.kind is TokenKind.NODE_TYPE and [token.text for token in tokens[:2]] == ["(", ")"]:
        del tokens[:2]
        return f"{first.text}()"
    return None


def _taken_predicates(tokens: list[XPathToken]) -> tuple[str, ...] | None:
    """Consume and return the predicates at the start of the tokens."""
    predicates = []
    while tokens and tokens[0].text == "[":
        depth = 0
        written = ""
        while tokens:
            token = tokens.pop(0)
            depth += {"[": 1, "]": -1}.get(token.text, 0) if token.kind is TokenKind.SYMBOL else 0
            written += token.gap + token.text
            if depth == 0:
                break
        if depth:
            return None
        predicates.append(written)
    return tuple(predicates)


def _position(node: str, predicates: tuple[str, ...]) -> int | None:
    if len(predicates) != 1 or node.startswith("@") or node.endswith(")"):
        return None
    number = predicates[0][1:-1].strip()
    return int(number) if number.isascii() and number.isdigit() else None


class Compile(Protocol):
    """Compiles an expression to a function: context element -> result."""

    def __call__(self, expression: str, /) -> Callable[[Element], Any]:
        """Compile an expression.

        Raises:
            ParseError: the expression is invalid.
        """


class XPathOpenQuery:
    """A path split at its open positions, each part compiled.

    An OpenQuery. The value is the last node in the last block, or the first node with `takes_first`.

    Args:
        steps: the steps of the path.
        opened: indexes of the steps with an open position.
        compiled: compiles the parts.
        takes_first: use the first of several nodes, as string functions do.
    Raises:
        ParseError: a part is invalid.
    """

    is_full_text = True
    tail = None
    column = None

    def __init__(
        self,
        steps: Sequence[XPathStep],
        opened: Sequence[int],
        compiled: Compile,
        *,
        takes_first: bool = False,
    ) -> None:
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
        self._wanted = 0 if takes_first else -1
        self.key = ("first " if takes_first else "") + _key(steps, opened)

    def blocks(self, found: Sequence[Element]) -> list[Element]:
        """The last of the blocks, as an XPath is evaluated in that one only."""
        return list(found[-1:])

    def value(self, elements: list[Element]) -> str | None:
        """The text of the last element, or of the last node that the rest of the path finds below them.

        With `takes_first`, of the first one. None if nothing is found.
        """
        if self._tail is None:
            return text_of_node(elements[self._wanted]) if elements else None
        for element in elements if self._wanted == 0 else reversed(elements):
            found = self._tail(element)
            if found:
                return self._text_of(found)
        return None

    def filled(self, positions: Sequence[int]) -> Callable[[Sequence[Element]], str | None]:
        """Compile the path for these positions, from the left: blocks -> value."""
        texts = [step.text for step in self._steps]
        for at, position in zip(self._opened, positions, strict=True):
            texts[at] = f"{self._steps[at].separator}{self._steps[at].node}[{position}]"
        query = self._compile("".join(texts))
        return lambda blocks: self._text_of(query(blocks[-1])) if blocks else None

    def _text_of(self, found: Any) -> str | None:
        return text_of(found[:1] if isinstance(found, list) and self._wanted == 0 else found)


class _Part:
    """The steps up to an open position, without that position; an OpenStep."""

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
    """The steps as a path relative to the context node."""
    return "." + "".join(step.text for step in steps)


def _key(steps: Sequence[XPathStep], opened: Sequence[int]) -> str:
    return "".join(
        f"{step.separator}{step.node}[]" if at in opened else step.text for at, step in enumerate(steps)
    )


def opened_steps(steps: Sequence[XPathStep], stand_ins: Sequence[int]) -> list[int] | None:
    """Indexes of the steps whose position is left open.

    These are the stand-ins and, beside a single stand-in, a number as written, so that `tr[1]/td[%{index}]`
    shares an index with `tr[%{item.index}]/td[%{index}]`.

    Returns:
        None if a stand-in is not the position of exactly one step, or the step may be the page's root.
    """
    opened = [at for at, step in enumerate(steps) if step.position in stand_ins]
    first = 1 if steps[0].separator and steps[0].node == "*" else 0
    if len(opened) != len(stand_ins) or opened[0] < first:
        return None
    if len(opened) == 1:
        beside = (opened[0] + 1, opened[0] - 1)
        opened += [at for at in beside if first <= at < len(steps) and steps[at].position is not None][:1]
    return sorted(opened)
