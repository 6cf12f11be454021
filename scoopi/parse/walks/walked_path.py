"""walked_path: an XPath of names, or to the siblings of a label, for the compiled walk."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoopi.errors import ParseError
from scoopi.model.text.page_text import MARK
from scoopi.parse.query_ports import WalkedQuery
from scoopi.parse.walks.simple_chain import (
    BELOW,
    CHILD,
    CompoundPlan,
    LabelTarget,
    SimpleChain,
    SimpleCompound,
)
from scoopi.parse.xpath.xpath_tokens import TokenKind, XPathToken, tokens_of

_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_AXIS = ("following-sibling", "::")
_MOST_STEPS = 8
_TEXTS = {
    (".",): "r",
    ("text", "(", ")"): "t",
    ("string", "(", ")"): "r",
    ("string", "(", ".", ")"): "r",
    ("normalize-space", "(", ")"): "n",
    ("normalize-space", "(", ".", ")"): "n",
}
"""Tokens of the text that a predicate compares -> its code in LabelTarget."""
_CALLS = {"contains": "c", "starts-with": "p"}


def walked_path(selector: str, at: int) -> WalkedQuery | None:
    """An XPath as a target of the compiled walk; None if the walk cannot evaluate it.

    The path must lead down from the block by names; it may end with a text predicate, steps to siblings and
    an attribute: `.//dt[.='Price']/following-sibling::dd[1]/@title`.

    Args:
        at: index of its values in the result of the walk.
    """
    if MARK in selector:
        return None
    try:
        return _Path([*tokens_of(selector)]).walked(at)
    except (ParseError, _TooMuchError):
        return None


class _TooMuchError(Exception):
    """The walk cannot evaluate the path."""


class _Path:
    """Consumes the tokens of a path."""

    def __init__(self, tokens: list[XPathToken]) -> None:
        self._left = tokens[::-1]

    def walked(self, at: int) -> WalkedQuery | None:
        """The target; raises _TooMuchError if the walk cannot evaluate the path."""
        place = self._beginning()
        names, combinators = [self._name()], list[str]()
        while self._next() in ("/", "//") and self._follows(1) not in (_AXIS[0], "@"):
            combinators.append(">" if self._take() == "/" else " ")
            names.append(self._name())
        text = self._label_text() if self._next() == "[" else None
        steps = self._steps() if text is not None else ()
        attribute = self._attribute()
        if self._left:
            raise _TooMuchError
        label: LabelTarget | None = None if text is None else (*text, steps)
        chain = SimpleChain(
            tuple(SimpleCompound(name, "", frozenset()) for name in names[::-1]), tuple(combinators[::-1])
        )
        plan = chain.plan(at, attribute, "r", is_list=True, place=place, label=label)
        return None if plan is None else WalkedQuery(plan, _last)

    def _next(self) -> str:
        return self._follows(0)

    def _follows(self, ahead: int) -> str:
        return self._left[-1 - ahead].text if len(self._left) > ahead else ""

    def _take(self, *wanted: str) -> str:
        token = self._left.pop() if self._left else None
        if token is None or (wanted and token.text not in wanted):
            raise _TooMuchError
        return token.text

    def _beginning(self) -> int:
        """Where the first name is searched: `dt` and `./dt` among the children, `.//dt` anywhere below."""
        if self._next() != ".":
            return CHILD
        self._take()
        return CHILD if self._take("/", "//") == "/" else BELOW

    def _name(self) -> str:
        """A name test outside predicates, in lower case: there names are case-insensitive."""
        if not self._left or self._left[-1].kind is not TokenKind.NAME or not _NAME.fullmatch(self._next()):
            raise _TooMuchError
        return self._take().lower()

    def _label_text(self) -> tuple[str, str, bool, str]:
        self._take("[")
        mode = _CALLS.get(self._next(), "e")
        if mode != "e":
            self._take()
            self._take("(")
        looked_at = self._text(("," if mode != "e" else "=",))
        if looked_at == "t" and mode != "e":  # of several nodes, an XPath function uses the first
            looked_at = "f"
        if not self._left or self._left[-1].kind is not TokenKind.LITERAL:
            raise _TooMuchError
        literal = self._take()[1:-1]
        if mode != "e":
            self._take(")")
        self._take("]")
        if not literal or not literal.isprintable():
            raise _TooMuchError
        return looked_at, mode, False, literal

    def _text(self, ends: Sequence[str]) -> str:
        taken: list[str] = []
        while self._left and self._next() not in ends:
            taken.append(self._take())
        self._take()
        found = _TEXTS.get(tuple(taken))
        if found is None:
            raise _TooMuchError
        return found

    def _steps(self) -> tuple[tuple[str, CompoundPlan], ...]:
        steps: list[tuple[str, CompoundPlan]] = []
        while self._next() == "/" and self._follows(1) == _AXIS[0]:
            for wanted in ("/", *_AXIS):
                self._take(wanted)
            name = "" if self._next() == "*" else self._name()
            name = name or self._take("*").removeprefix("*")
            kind = "~"
            if self._next() == "[":
                for wanted in "[1]":
                    self._take(wanted)
                kind = "1"
            steps.append((kind, (name, "", ())))
        if len(steps) > _MOST_STEPS:
            raise _TooMuchError
        return tuple(steps)

    def _attribute(self) -> str:
        if self._next() != "/":
            return ""
        self._take("/")
        self._take("@")
        return self._name()


def _last(texts: Sequence[str]) -> str | None:
    """The text of the last node, which is the value of a path."""
    return texts[-1] if texts else None
