"""XPathStep: one step of a path whose steps go down only, as `tr[2]` in `//tbody/tr[2]/td[1]/@id`."""

from __future__ import annotations

from dataclasses import dataclass

from scoopi.errors import ParseError
from scoopi.parse.xpath.xpath_tokens import Kind, XPathToken, tokens_of


@dataclass(frozen=True, slots=True)
class XPathStep:
    """A step.

    Attributes:
        separator: what precedes it: `/`, `//`, or nothing before the first step of a relative path.
        node: its node test, as written.
        predicates: as written, each with its brackets.
        position: the number of a step that is `name[number]` or `*[number]` and no more; else None.
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
    """The steps of the path; None if it is not a path, goes up or sideways, or is wrong."""
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
    """The node test with which the tokens begin, taken from them."""
    if not tokens:
        return None
    first = tokens.pop(0)
    if first.kind in (Kind.NAME, Kind.STAR):
        return first.text
    if first.text == "@" and tokens and tokens[0].kind in (Kind.NAME, Kind.STAR):
        return "@" + tokens.pop(0).text
    if first.kind is Kind.NODE_TYPE and [token.text for token in tokens[:2]] == ["(", ")"]:
        del tokens[:2]
        return f"{first.text}()"
    return None


def _taken_predicates(tokens: list[XPathToken]) -> tuple[str, ...] | None:
    """The predicates with which the tokens begin, taken from them."""
    predicates = []
    while tokens and tokens[0].text == "[":
        depth = 0
        written = ""
        while tokens:
            token = tokens.pop(0)
            depth += {"[": 1, "]": -1}.get(token.text, 0) if token.kind is Kind.SYMBOL else 0
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
