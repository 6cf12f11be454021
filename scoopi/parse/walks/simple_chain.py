"""SimpleChain: a selector of tags, ids and classes, which a walk can evaluate together with others."""

from __future__ import annotations

import re
from typing import NamedTuple

from scoopi.parse.css import syntax

_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_MOST_COMPOUNDS = _MOST_CLASSES = 8
"""Limits of the compiled walk."""


CompoundPlan = tuple[str, str, tuple[str, ...]]
"""(tag, id, classes), as the compiled walk takes them."""
LabelTarget = tuple[str, str, bool, str, tuple[tuple[str, CompoundPlan], ...]]
"""How the compiled walk recognizes a label, and the steps from the label to its value.

(text, mode, lower, literal, steps). `text`, the text that is compared: `o`, `v` and `r` as in `plan`, `n` for
`normalize-space()` of `r`, `t` for each text child, `f` for the first one. `mode`: the text `e` equals,
`p` starts with or `c` contains the literal. `lower`: compare in lower case. `steps`, to siblings: `+` the
next one, `~` all following ones, `1` the first following one that matches.
"""
WITHIN, CHILD, BELOW = range(3)
"""Where the first element of a chain is: the block or below it; a child of it; below it."""


class SimpleCompound(NamedTuple):
    """Tag, id and classes that an element must have; empty for any."""

    tag: str
    id: str
    classes: frozenset[str]


class SimpleChain(NamedTuple):
    """A selector of tags, ids and classes, which a walk can evaluate together with others.

    Attributes:
        compounds: in reverse order, the last one first.
        combinators: blank or `>`, in the same order, one between each two compounds.
    """

    compounds: tuple[SimpleCompound, ...]
    combinators: tuple[str, ...]

    @classmethod
    def of(cls, selectors: syntax.Selectors) -> SimpleChain | None:
        """Parsed selectors as a chain; None if they need more than tags, ids, classes, blanks and `>`."""
        if len(selectors) != 1 or selectors[0].scoped or not {*selectors[0].combinators} <= {">", " "}:
            return None
        compounds = [_compound(each) for each in selectors[0].compounds]
        known = tuple(each for each in compounds if each is not None)
        if len(known) != len(compounds):
            return None
        return cls(known[::-1], tuple(reversed(selectors[0].combinators)))

    def plan(
        self,
        at: int,
        attribute: str,
        text: str,
        *,
        is_list: bool,
        place: int = WITHIN,
        label: LabelTarget | None = None,
    ) -> tuple[object, ...] | None:
        """The chain as a target of the compiled walk; None if the walk cannot take it.

        Args:
            at: index of the values in the result of the walk.
            attribute: name of the attribute to read; empty for the text.
            text: `v` for the visible text, `o` for the own text, `r` for the raw text.
            is_list: find all values, not only the first.
            place: where the first element of the chain is (WITHIN, CHILD or BELOW).
            label: the text that the last element must have, and the steps from there to the value.
        """
        links = self.links()
        if links is None or (attribute and not is_plain_name(attribute)):
            return None
        return at, *links, attribute, text, is_list, place, label

    def links(self) -> tuple[tuple[CompoundPlan, ...], tuple[bool, ...]] | None:
        """The compounds as the walk in C takes them, and for each but the last whether `>` joins the next.

        None if the walk cannot take them.
        """
        written = [each for each in map(as_written, self.compounds) if each is not None]
        if len(written) < len(self.compounds) or len(written) > _MOST_COMPOUNDS:
            return None
        return tuple(written), tuple(sign == ">" for sign in self.combinators)


def is_plain_name(name: str) -> bool:
    """Whether the walk in C finds attributes of this name as Python does."""
    return _NAME.fullmatch(name) is not None


def as_written(compound: SimpleCompound) -> CompoundPlan | None:
    """The compound as the compiled walk takes it; None if the walk cannot take it."""
    written = compound.tag, compound.id, tuple(sorted(compound.classes))
    if len(written[2]) > _MOST_CLASSES or any("\0" in name for name in (*written[:2], *written[2])):
        return None
    return written


def _compound(tests: syntax.Compound) -> SimpleCompound | None:
    tag, name, classes = "", "", set()
    for test in tests:
        match test:
            case syntax.Tag(found) if _NAME.fullmatch(found) and not tag:
                tag = found
            case syntax.Id(found) if not name:
                name = found
            case syntax.ClassName(found) if _NAME.fullmatch(found):
                classes.add(found)
            case _:
                return None
    return SimpleCompound(tag, name, frozenset(classes))
